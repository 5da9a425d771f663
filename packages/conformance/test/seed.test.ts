import { afterEach, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { runs } from '../src/store/runs.ts'

const before = fc.readConfigureGlobal()
afterEach(() => fc.configureGlobal(before))

test('a suite plays the same histories in each run, also where nobody has set a seed', () => {
  fc.resetConfigureGlobal()
  const { seed } = runs(1)
  expect(seed).toEqual(expect.any(Number))
  expect(runs(1).seed).toBe(seed)
})

test('a seed that the user has set is played', () => {
  fc.configureGlobal({ seed: 5 })
  expect(runs(1)).toMatchObject({ seed: 5 })
})
