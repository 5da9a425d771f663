import { expect, it } from '@jest/globals'
import fc from 'fast-check'

const seed = Number(process.env.SLUICE_TEST_SEED ?? 20_261_121)

it('is one for all properties, and a failed one prints it', () => {
  const fails = fc.property(fc.integer(), () => false)
  expect(() => fc.assert(fails)).toThrow(`{ seed: ${seed}, path: "0`)
})

it('lets a property of many runs play a hundred and a tenth of them, and the trials all', () => {
  const all = process.env.SLUICE_TEST_HISTORIES === 'all'
  for (const [numRuns, played] of [
    [60, 60],
    [100, 100],
    [20_000, 2100],
  ] as const) {
    let runs = 0
    fc.assert(
      fc.property(fc.integer(), () => void runs++),
      { numRuns },
    )
    expect(runs).toBe(all ? numRuns : played)
  }
})
