import { expect, it, jest } from '@jest/globals'
import { proofs, proved } from '../leasing/histories.ts'

jest.setTimeout(120_000)

const admissions = 1_000_000
const strategies = Object.keys(proofs)
/** Small ones are contended, in large ones much is in hand. */
const limits = [300, 1000, 3000, 6000]

// Among the trials, as it takes too long for the tests.
it.each(strategies)(
  'of its part of a million admissions by leases %s would have refused none',
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
