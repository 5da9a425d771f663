import { expect, it } from '@jest/globals'
import fc from 'fast-check'

const seed = Number(process.env.SLUICE_TEST_SEED ?? 20_261_121)

it('is one for all properties, and a failed one prints it', () => {
  const fails = fc.property(fc.integer(), () => false)
  expect(() => fc.assert(fails)).toThrow(`{ seed: ${seed}, path: "0`)
})
