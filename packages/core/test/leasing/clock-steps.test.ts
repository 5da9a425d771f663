import { describe, expect, it } from '@jest/globals'
import { proved } from './histories.ts'

const limit = 300
const seeds = [14, 18, 1]

describe("when the server's clock goes back while units are in hand, no more are admitted than the policy allows:", () => {
  // Windows by the clock lie elsewhere afterwards, with leases or without.
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

it('when it goes ahead, all windows are over at once, and one limit more is admitted in the window around that', async () => {
  const found = await Promise.all(
    seeds.map((seed) => proved('slidingWindowLog', { limit, seed, stepUs: 3_600_000_000 })),
  )
  const most = Math.max(...found.map((one) => one.most))
  expect(most).toBeGreaterThan(limit)
  expect(most).toBeLessThanOrEqual(2 * limit)
})
