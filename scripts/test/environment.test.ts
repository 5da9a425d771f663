import { AsyncLocalStorage } from 'node:async_hooks'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { SmallProject, scripts } from './small-project.ts'

it('a storage of what is tested follows its promises, and two at once stay apart', async () => {
  const storage = new AsyncLocalStorage<{ readonly test: number }>()
  const later = async (test: number) => {
    await null
    return storage.getStore()?.test === test
  }
  const seen = [1, 2].map((test) => storage.run({ test }, () => later(test)))
  expect(await Promise.all(seen)).toEqual([true, true])
  expect(storage.getStore()).toBeUndefined()
})

it('a rejection that nobody catches fails the test in which it happens', async () => {
  const project = new SmallProject(
    {
      'one/a.test.js': `
beforeEach(() => {})
test('before', async () => {})
test('rejects', async () => { Promise.reject(new Error('lost')); await new Promise(setImmediate) })
test('behind', async () => { await new Promise(setImmediate) })`,
    },
    `testEnvironment: ${JSON.stringify(path.join(scripts, 'jest/environment.mjs'))}`,
  )
  try {
    const { passed, failed, notPassed } = await project.run(['--runInBand'])
    expect({ passed, failed, notPassed }).toEqual({
      passed: 2,
      failed: 1,
      notPassed: ['failed: one/a.test.js: rejects: Error: lost'],
    })
  } finally {
    project.remove()
  }
})
