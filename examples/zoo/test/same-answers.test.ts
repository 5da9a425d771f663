import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Decision, memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { attractions } from '../src/attractions.ts'
import { countByFile } from '../src/by-file.ts'
import { countByPolicies } from '../src/by-policies.ts'
import type { Counter, Counting } from '../src/counting.ts'

const file = path.resolve(__dirname, '../limits.yaml')
const clock = manualClock()

/** Orders of thirteen visitors, who first come thick and fast and then more rarely. */
const orders = Array.from({ length: 300 }, (_, i) => ({
  afterMs: i < 150 ? (i * 37) % 50 : (i * 37) % 1500,
  visitor: `visitor ${i % 13}`,
  quantity: 1 + ((i * 7) % 10),
}))

function numbersOf({ allowed, limit, remaining, resetAfterMs, retryAfterMs, reason }: Decision): unknown {
  return { allowed, limit, remaining, resetAfterMs, retryAfterMs, reason }
}

/** The answer to an order, how it stands after it, and whether it was served. */
async function play(counter: Counter, { visitor, quantity }: { visitor: string; quantity: number }) {
  const { key, ...options } = counter.questionOf({ visitor, quantity })
  const decision = await counter.limiter.check(key, options)
  const { count, source } = await counter.look(visitor)
  const { strategy: _strategy, rule: _rule, chart: _chart, ...numbers } = count
  return { served: decision.allowed, all: [numbersOf(decision), numbers, source] }
}

describe('limits.yaml and attractions.ts', () => {
  let byPolicies: Counting
  let byFile: Counting

  beforeAll(async () => {
    byPolicies = countByPolicies({ store: memoryStore({ clock }) })
    byFile = await countByFile(file, { store: memoryStore({ clock }), terminal: console })
  })
  afterAll(() => Promise.all([byPolicies.close(), byFile.close()]))

  it.each(attractions)('give the same answers at $id', async (attraction) => {
    const one = byPolicies.counterOf(attraction)
    const other = byFile.counterOf(attraction)
    const served = new Set<boolean>()
    for (const { afterMs, ...order } of orders) {
      await clock.advance(afterMs)
      const answer = await play(one, order)
      served.add(answer.served)
      expect(await play(other, order)).toEqual(answer)
    }
    expect(served.size).toBe(2)
  })

  it('keep a share of the flamingos for each visitor who has asked', async () => {
    await clock.advance('1h')
    for (const counting of [byPolicies, byFile]) {
      const [flamingo] = attractions.filter(({ id }) => id === 'flamingo')
      if (flamingo === undefined) throw new Error('there are flamingos')
      const counter = counting.counterOf(flamingo)
      const buys = async (visitor: string, quantity: number) => {
        const { key, ...options } = counter.questionOf({ visitor, quantity })
        return (await counter.limiter.check(key, options)).allowed
      }
      expect([await buys('bob', 60), await buys('ann', 10)]).toEqual([true, false])
      await clock.advance('10s')
      // Of the sixty, ten are ann's, who has asked for them.
      expect((await counter.look('bob')).count.left).toBe(50)
      expect([await buys('bob', 60), await buys('bob', 50), await buys('ann', 10)]).toEqual([
        false,
        true,
        true,
      ])
    }
  })
})
