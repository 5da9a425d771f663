import { describe, expect, it } from '@jest/globals'
import { type Arrivals, latencies } from '../src/asking/arrivals.ts'

/** The turn of the event loop in which each of twenty requests is asked, in a fifth of a second. */
async function turnsOf(arrivals: Arrivals): Promise<readonly number[]> {
  const turns: number[] = []
  let turn = 0
  let over = false
  function count(): void {
    turn++
    if (!over) setImmediate(count)
  }
  count()
  const { wrong } = await latencies({ perSecond: 100, turnMs: 200, arrivals }, async () => {
    turns.push(turn)
    return true
  })
  over = true
  expect(wrong).toBe(0)
  return turns
}

describe('how requests of a measurement arrive', () => {
  it('five at once are asked in one turn', async () => {
    const turns = await turnsOf({ atOnce: 5 })
    expect(turns).toHaveLength(20)
    for (let i = 0; i < turns.length; i++) expect(turns[i]).toBe(turns[i - (i % 5)])
  })

  it('does not measure what comes before the turn', async () => {
    const rate = { perSecond: 100, turnMs: 100, arrivals: 'evenly', leadMs: 400 } as const
    const early: (() => void)[] = []
    const { medianUs } = await latencies(rate, async (i) => {
      if (i < 40) await new Promise<void>((resolve) => early.push(resolve))
      if (i === 49) for (const answer of early) answer()
      return true
    })
    // Those of the lead wait for the last request, half of them for longer than 200 ms.
    expect(early).toHaveLength(40)
    expect(medianUs).toBeLessThan(100_000)
  })

  it('says how long the event loop kept others waiting', async () => {
    const rate = { perSecond: 100, turnMs: 100, arrivals: 'evenly' } as const
    const { loopP99Us } = await latencies(rate, async () => {
      const until = performance.now() + 5
      while (performance.now() < until);
      return true
    })
    // Half of the time it is held up, by five milliseconds at a time.
    expect(loopP99Us).toBeGreaterThan(2000)
  })
})
