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
  const listed = async (...flags: string[]) => {
    const jest = ['node_modules/jest/bin/jest.js', '--listTests', '--selectProjects', 'stores', 'platforms']
    const { stdout } = await ended(process.execPath, [...jest, ...flags], { cwd: path.join(scripts, '..') })
    return stdout.split('\n').filter((line) => line.endsWith('.test.ts'))
  }
  const program = `import { ofFilesWithProperties } from './trials.mjs'; process.stdout.write(ofFilesWithProperties())`
  const { stdout: flag } = await ended(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: scripts,
  })
  const all = await listed()
  expect(all.length).toBeGreaterThan(10)
  expect((await listed(flag)).sort()).toEqual(all.sort())
})
