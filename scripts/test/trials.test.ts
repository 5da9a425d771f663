import path from 'node:path'
import { expect, it } from '@jest/globals'
import { ended, scripts } from './small-project.ts'

it('npm run test:trials takes the names of its steps, and names them where it knows none', async () => {
  const { code, stdout, stderr } = await ended(
    process.execPath,
    [path.join(scripts, 'run.mjs'), 'trials', 'outage', 'outrage'],
    { cwd: scripts },
  )
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^"outrage" is no step of the trials; there are stores, properties, platforms, outage, browser, runtimes, tasks, simulation, .*release\./,
  )
  expect(stdout).toBe('\n0 passed, 1 failed\n')
})

it('npm test leaves to the trials what waits for an outage, a browser or another runtime', async () => {
  const program = `import { trialProjects } from './trials.mjs'; console.log(trialProjects.join(' '))`
  const { stdout } = await ended(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: scripts,
  })
  expect(stdout).toBe('stores platforms outage browser runtimes tasks\n')
})

it('steps that run together lose none of their files', async () => {
  const program = `
    import config from '../jest.config.mjs'
    import { ofFilesWithProperties, testFiles } from './trials.mjs'
    const chosen = new RegExp(ofFilesWithProperties().replace('--testPathPatterns=', ''))
    for (const name of ['stores', 'platforms']) {
      const { testPathIgnorePatterns } = config.projects.find(({ displayName }) => displayName === name)
      const its = testFiles().filter((file) => !new RegExp(testPathIgnorePatterns).test('/packages/' + file))
      console.log(name, its.length > 7, its.filter((file) => !chosen.test(file)).join())
    }`
  const { stdout } = await ended(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: scripts,
  })
  expect(stdout).toBe('stores true \nplatforms true \n')
})
