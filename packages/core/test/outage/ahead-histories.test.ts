import { expect, it } from '@jest/globals'
import { proofs, proved } from '../ahead/histories.ts'

/** A million with SLUICE_TEST_RUNS=8. */
const admissions = 125_000 * Number(process.env.SLUICE_TEST_RUNS ?? 1)
const strategies = Object.keys(proofs)
/** Small ones are contended, in large ones much is in hand. */
const limits = [300, 1000, 3000, 6000]

// Among the trials, as it takes too long for the tests.
it.each(strategies)(
  'of its part of all admissions from units in hand %s would have refused none',
  async (strategy) => {
    let admitted = 0
    for (let seed = 1000; admitted < admissions / strategies.length; seed++) {
      const limit = limits[seed % limits.length] ?? 0
      const one = await proved(strategy, { limit, seed })
      admitted += one.admitted
      expect({ seed, limit, excess: one.excess }).toEqual({ seed, limit, excess: 0 })
    }
  },
)
