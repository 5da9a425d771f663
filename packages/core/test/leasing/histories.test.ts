import { describe, expect, it } from '@jest/globals'
import { proofs, proved } from './histories.ts'

const limit = 300
const seeds = Array.from(
  { length: Math.ceil(25 * Number(process.env.SLUICE_TEST_RUNS ?? 1)) },
  (_, i) => i + 1,
)

describe('however processes die, hang and miss replies, no more are admitted than the policy allows:', () => {
  it.each(Object.keys(proofs))('%s', async (strategy) => {
    let admitted = 0
    for (const seed of seeds) {
      const one = await proved(strategy, { limit, seed })
      admitted += one.admitted
      expect({ seed, excess: one.excess }).toEqual({ seed, excess: 0 })
    }
    // There was more traffic than the policy allows.
    expect(admitted).toBeGreaterThan(seeds.length * limit)
  })
})
