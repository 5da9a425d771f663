import { describe, expect, it } from '@jest/globals'
import {
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  notApplicable,
  type Policy,
  slidingWindowLog,
} from '../../src/index.ts'
import { manualClock } from '../../src/testing/index.ts'
import { hourly } from '../hourly.ts'

/** A limiter on memory of so many keys, its clock, and what it was warned of. */
function small(policy: Policy<'refund' | 'penalize'>, maxKeys: number) {
  const clock = manualClock()
  const store = memoryStore({ clock, maxKeys })
  const warnings: string[] = []
  const logger = { warn: (text: string) => warnings.push(text), error: () => {} }
  return { limiter: createLimiter({ policy, store, logger }), store, clock, warnings }
}

async function exhaust(limiter: ReturnType<typeof small>['limiter'], key: string): Promise<void> {
  while ((await limiter.check(key)).allowed);
}

/** Asks so many keys once each; `mallory`, exhausted before, is refused throughout. */
async function spray(policy: Policy<'refund' | 'penalize'>, keys: number, maxKeys: number): Promise<void> {
  const { limiter, store, warnings } = small(policy, maxKeys)
  await exhaust(limiter, 'mallory')
  for (let i = 0; i < keys; i++) {
    // Where one request exhausts a key a spray of them is a different matter, tested below.
    await limiter.check(`spray ${i}`, { cost: policy.limit === 1 ? 0 : 1 })
    if (i % 100 === 0) expect((await limiter.check('mallory')).reason).toBe('limited')
  }
  expect((await limiter.check('mallory')).reason).toBe('limited')
  expect(store.health?.().keys).toBeLessThanOrEqual(maxKeys)
  expect(warnings).toEqual([])
}

describe('a store with room for some keys', () => {
  it('keeps an exhausted key exhausted under a spray of twenty thousand', () =>
    spray(slidingWindowLog({ limit: 2, window: '1h' }), 20_000, 1000))

  it.each(hourly)('keeps an exhausted key exhausted under a spray: $strategy', (policy) =>
    spray(policy, 1000, 100),
  )

  it('lets go of what is idle before anything that still counts', async () => {
    const { limiter, store, clock } = small(slidingWindowLog({ limit: 2, window: '1h' }), 1000)
    const brief = slidingWindowLog({ limit: 2, window: '1m' })
    for (let i = 0; i < 1000; i++) await limiter.check(`key ${i}`, i % 16 === 0 ? { policy: brief } : {})
    await clock.advance('2m')
    // Every sixteenth is idle now.
    for (let i = 0; i < 60; i++) await limiter.check(`late ${i}`)
    for (let i = 0; i < 1000; i++) {
      if (i % 16 > 0)
        expect({ i, remaining: (await limiter.peek(`key ${i}`)).remaining }).toEqual({ i, remaining: 1 })
    }
    expect(store.health?.().keys).toBeLessThanOrEqual(1000)
  })

  it('counts on for a key that it lets go for another policy of the same request', async () => {
    const store = memoryStore({ clock: manualClock(), maxKeys: 1 })
    const policies = {
      first: fixedWindow({ limit: 5, window: '1h' }),
      second: gcra({ count: 5, period: '1h' }),
    }
    const limiter = createLimiter({ policies, store })
    await limiter.check({ first: notApplicable, second: 'alice' })
    const { verdicts } = await limiter.check('alice')
    expect(verdicts.second).toMatchObject({ allowed: true, remaining: 3 })
    expect((await limiter.peek({ first: notApplicable, second: 'alice' })).remaining).toBe(3)
  })

  it('frees no blocked key', async () => {
    const { limiter } = small(slidingWindowLog({ limit: 2, window: '1h' }), 10)
    await limiter.check('mallory')
    await limiter.block('mallory', '10m')
    for (let i = 0; i < 1000; i++) await limiter.check(`spray ${i}`)
    expect((await limiter.check('mallory')).reason).toBe('blocked')
    await limiter.unblock('mallory')
    expect((await limiter.peek('mallory')).remaining).toBe(1)
  })
})

describe('a store whose every key is exhausted', () => {
  it.each(hourly)('lets unknown keys share one count, and warns of it once: $strategy', async (policy) => {
    const { limiter, warnings } = small(policy, 3)
    for (const key of ['a', 'b', 'c']) await exhaust(limiter, key)
    let allowed = 0
    for (let i = 0; i < 50; i++) if ((await limiter.check(`unknown ${i}`)).allowed) allowed++
    expect(allowed).toBe(policy.limit)
    for (const key of ['a', 'b', 'c']) expect((await limiter.check(key)).allowed).toBe(false)
    expect(warnings).toEqual([expect.stringContaining('SLUICE_MEMORY_FULL')])
    expect(limiter.health().warnings).toEqual(['SLUICE_MEMORY_FULL'])
  })

  it.each(hourly)('lets no penalty free what they share: $strategy', async (policy) => {
    const { limiter } = small(policy, 1)
    await exhaust(limiter, 'a')
    await exhaust(limiter, 'unknown')
    await limiter.penalize('another', 1)
    expect((await limiter.check('a third')).allowed).toBe(false)
    expect((await limiter.inspect('a third')).default).toMatchObject({ remaining: 0 })
  })

  it.each(hourly)('no key shares with another once there is room again: $strategy', async (policy) => {
    const { limiter, clock } = small(policy, 2)
    for (const key of ['a', 'b']) await exhaust(limiter, key)
    await exhaust(limiter, 'unknown')
    await clock.advance('4h')
    for (const key of ['a', 'b']) await limiter.reset(key)
    // Each its own count: neither what the other takes nor what was shared before is in it.
    await exhaust(limiter, 'c')
    expect((await limiter.check('d')).allowed).toBe(true)
    expect((await limiter.peek('c')).allowed).toBe(false)
  })

  it('counts what was shared against whoever comes while it lasts, and nobody’s own against another', async () => {
    const { limiter, clock } = small(slidingWindowLog({ limit: 2, window: '1h' }), 3)
    for (const key of ['a', 'b', 'c']) await exhaust(limiter, key)
    await clock.advance('30m')
    await limiter.check('unknown')
    await clock.advance('30m')
    // There is room again, but who took the one unit half an hour ago is not known.
    for (const key of ['d', 'e', 'f']) {
      expect(await limiter.check(key)).toMatchObject({ allowed: true, remaining: 0 })
      expect((await limiter.check(key)).allowed).toBe(false)
    }
    await clock.advance('30m')
    expect((await limiter.peek('d')).remaining).toBe(1)
  })
})
