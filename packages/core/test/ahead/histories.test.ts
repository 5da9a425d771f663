import { describe, expect, it } from '@jest/globals'
import { proofs, proved } from './histories.ts'

const limit = 300
/** Two that have found mistakes, and two more; many are among the trials. */
const seeds = [14, 18, 1, 2]

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
