import { describe, expect, it } from '@jest/globals'
import { proved } from './histories.ts'

const limit = 300
const seeds = [14, 18, 1]

describe("when the server's clock goes back while units are in hand, no more are admitted than the policy allows:", () => {
  // Windows by the clock lie elsewhere afterwards, with units ahead or without.
  it.each(['slidingWindowLog', 'gcra', 'tokenBucket', 'leakyBucket'])('%s', async (strategy) => {
    let admitted = 0
    for (const stepUs of [-50_000, -700_000, -3_600_000_000]) {
      for (const seed of seeds) {
        const one = await proved(strategy, { limit, seed, stepUs })
        admitted += one.admitted
        expect({ stepUs, seed, excess: one.excess }).toEqual({ stepUs, seed, excess: 0 })
      }
    }
    expect(admitted).toBeGreaterThan(9 * limit)
  })
})

describe('when it goes ahead, a key is new at once, and the window around that has at most what a new key may use on top:', () => {
  it.each([
    { strategy: 'slidingWindowLog', usual: limit, fresh: limit },
    { strategy: 'gcra', usual: limit + limit / 3 + 1, fresh: limit / 3 + 1 },
    { strategy: 'tokenBucket', usual: limit + limit / 2, fresh: limit / 2 },
    { strategy: 'leakyBucket', usual: limit + limit / 1.1, fresh: limit },
  ])('$strategy', async ({ strategy, usual, fresh }) => {
    const found = await Promise.all(
      seeds.map((seed) => proved(strategy, { limit, seed, stepUs: 3_600_000_000 })),
    )
    const most = Math.max(...found.map((one) => one.most))
    expect(most).toBeGreaterThan(limit)
    expect(most).toBeLessThanOrEqual(usual + fresh)
  })
})
