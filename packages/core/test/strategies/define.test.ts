import { describe, expect, it } from '@jest/globals'
import { everyNth, everyNthAnywhere } from '@sluice/conformance/internal'
import { manualClock } from '@sluice/testing'
import {
  createLimiter,
  defineStrategy,
  gcra,
  memoryStore,
  type ReadOptions,
  type StrategyDraft,
} from '../../src/index.ts'
import { RedisStore } from '../../src/redis/store.ts'

/** No server is asked for what is refused at construction. */
function unasked(): RedisStore {
  const fail = () => Promise.reject(new Error('asked'))
  return new RedisStore({
    connection: { run: fail, send: fail, close: async () => {} },
    prefix: '',
    deadlineUs: 0,
  })
}

describe('a strategy of one’s own', () => {
  it('decides in memory like any other', async () => {
    const clock = manualClock()
    const limiter = createLimiter({ store: memoryStore({ clock }), policy: everyNth({ n: 3, forget: 1000 }) })
    const seen: unknown[] = []
    for (let i = 0; i < 3; i++) {
      const { allowed, remaining, retryAfterMs } = await limiter.check('bob')
      seen.push([allowed, remaining, retryAfterMs])
    }
    expect(seen).toEqual([
      // allowed, remaining, stated wait
      [true, 1, null],
      [true, 0, null],
      [false, 0, 1000],
    ])
    await clock.advance('1s')
    expect((await limiter.check('bob')).allowed).toBe(true)
  })

  it('is blocked and reset like any other, and gives nothing back if it cannot', async () => {
    const limiter = createLimiter({ policy: everyNth({ n: 3, forget: 1000 }) })
    const decision = await limiter.check('bob')
    await decision.refund()
    expect((await limiter.peek('bob')).remaining).toBe(1)
    await limiter.block('bob', '1m')
    expect((await limiter.check('bob')).reason).toBe('blocked')
    await limiter.reset('bob')
    expect((await limiter.peek('bob')).remaining).toBe(2)
  })

  it('validates its options by its own words', () => {
    expect(() => everyNth({ n: 1, forget: 1000 })).toThrow(
      'n: expected a whole number of at least 2, got 1 (number)',
    )
  })

  it('may have time zones and lists of windows among its options', () => {
    interface Options {
      zone: string
      windows: readonly { limit: number; window: number }[]
    }
    const zoned = defineStrategy<Options, ReadOptions<Options> & { limit: number }, object, StrategyDraft>({
      name: 'zoned',
      can: [],
      options: {
        zone: { kind: 'time zone', about: 'Where a day begins.' },
        windows: { kind: 'windows', about: 'Limits.', max: 2 },
      },
      numbers: (read) => ({ ...read, limit: read.windows[0]?.limit ?? 0 }),
      look: () => ({ allowed: true, limit: 1, remaining: 1, retryAfterUs: 0, resetAfterUs: 0 }),
      take: (state) => state ?? {},
      idleUs: () => 0,
    })
    const windows = [{ limit: 5, window: 1000 }]
    expect(zoned({ zone: 'Europe/Vienna', windows }).limit).toBe(5)
    expect(() => zoned({ zone: 'Vienna', windows })).toThrow('zone: expected a time zone')
    expect(() => zoned({ zone: 'UTC', windows: [] })).toThrow('windows: expected a list of 1 to 2 limits')
  })

  it('without a Lua half is refused by a Redis store at construction', () => {
    const store = unasked()
    const nth = everyNth({ n: 3, forget: 1000 })
    expect(() => createLimiter({ store, policies: { a: gcra({ count: 1, period: '1s' }), nth } })).toThrow(
      'policies.nth: expected a strategy with a Lua half (`redis`), as this store needs, got "every nth: {mine}" (string)',
    )
    expect(() => createLimiter({ store, policy: everyNthAnywhere({ n: 3, forget: 1000 }) })).not.toThrow()
  })

  it('without a Lua half is refused for one call too', async () => {
    const limiter = createLimiter({ store: unasked(), policy: gcra({ count: 1, period: '1s' }) })
    await expect(limiter.check('bob', { policy: everyNth({ n: 3, forget: 1000 }) })).rejects.toThrow(
      TypeError,
    )
  })
})
