import path from 'node:path'
import { expect, it } from '@jest/globals'
import { SmallProject, scripts } from './small-project.ts'

/** Which of the two is first does not matter. */
const file = `
test('finds the environment as it was, and changes it', async () => {
  const { KEPT, LEFT } = process.env
  await importBuilt(${JSON.stringify('FOLDER')} + '/built.mjs', {})
  expect({ KEPT, LEFT }).toEqual({ KEPT: 'as it was', LEFT: undefined })
})`

it('what a built module sets of the environment ends with its test file', async () => {
  const environment = JSON.stringify(path.join(scripts, 'jest/built.mjs'))
  const project = new SmallProject({}, `testEnvironment: ${environment}`)
  project.write('built.mjs', "process.env.LEFT = 'auto'\nprocess.env.KEPT = 'changed'\n")
  for (const name of ['one/a', 'two/b'])
    project.write(`${name}.test.js`, file.replace('FOLDER', project.folder))
  process.env.KEPT = 'as it was'
  try {
    const { passed, notPassed } = await project.run(['--runInBand'])
    expect({ passed, notPassed }).toEqual({ passed: 2, notPassed: [] })
  } finally {
    delete process.env.KEPT
    project.remove()
  }
})
