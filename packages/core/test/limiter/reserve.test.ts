import { describe, expect, it } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import {
  createLimiter,
  gcra,
  leakyBucket,
  memoryStore,
  type Policy,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '../../src/index.ts'

function moving() {
  const clock = manualClock()
  return { clock, store: memoryStore({ clock }) }
}

const oneASecond = gcra({ count: 1, period: '1s' })

describe('reserve', () => {
  // biome-ignore format: a table
  it.each<[string, Policy<'reserve' | 'refund' | 'penalize'>]>([
    ['uniform',     uniform({ interval: '1s' })],
    ['gcra',        oneASecond],
    ['tokenBucket', tokenBucket({ capacity: 1, count: 1, period: '1s' })],
    ['leakyBucket', leakyBucket({ capacity: 1, count: 1, period: '1s' })],
  ])('spaces callers one after another: %s', async (_name, policy) => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy })
    const waits: (number | null)[] = []
    for (let i = 0; i < 5; i++) {
      const { allowed, waitMs } = await limiter.reserve('bob', { maxWait: '3s' })
      waits.push(allowed ? waitMs : null)
    }
    expect(waits).toEqual([0, 1000, 2000, 3000, null])
    expect(await limiter.reserve('bob', { maxWait: '3s' })).toMatchObject({
      reason: 'limited',
      retryAfterMs: 1000,
      waitMs: 0,
    })
  })

  it('waits a minute unless the options say otherwise, and never longer than maxDebt', async () => {
    const { store } = moving()
    const hourly = gcra({ count: 1, period: '50s', maxDebt: '2m' })
    const usual = createLimiter({ name: 'usual', store, policy: hourly })
    expect((await usual.reserve('bob')).waitMs).toBe(0)
    expect((await usual.reserve('bob')).waitMs).toBe(50_000)
    expect(await usual.reserve('bob')).toMatchObject({ allowed: false, retryAfterMs: 40_000 })
    expect((await usual.reserve('bob', { maxWait: '1h' })).waitMs).toBe(100_000)
    expect(await usual.reserve('bob', { maxWait: '1h' })).toMatchObject({
      allowed: false,
      retryAfterMs: 30_000,
    })
  })

  it('refuses what can never fit, whatever the patience', async () => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy: gcra({ count: 3, period: '3s' }) })
    expect(await limiter.reserve('bob', { cost: 4 })).toMatchObject({
      reason: 'too-costly',
      retryAfterMs: null,
    })
    expect((await limiter.peek('bob')).remaining).toBe(3)
  })

  it('refuses a blocked key until the end of its block', async () => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy: oneASecond })
    await limiter.block('bob', '10s')
    expect(await limiter.reserve('bob')).toMatchObject({ reason: 'blocked', retryAfterMs: 10_000 })
  })

  it('takes of several policies at once, and waits for the slowest', async () => {
    const { store } = moving()
    const limiter = createLimiter({
      store,
      policies: { tenant: oneASecond, site: gcra({ count: 1, period: '3s' }) },
    })
    await limiter.reserve({ tenant: 'a', site: 'all' })
    expect(await limiter.reserve({ tenant: 'b', site: 'all' })).toMatchObject({
      allowed: true,
      waitMs: 3000,
      summary: [0, 1, 0, -1, 6],
    })
  })

  it('takes nothing anywhere where one policy would make it wait too long, also with every-level', async () => {
    const { store } = moving()
    const limiter = createLimiter({
      store,
      charge: 'every-level',
      policies: { tenant: oneASecond, site: gcra({ count: 1, period: '30s' }) },
    })
    await limiter.reserve('x', { maxWait: '5s' })
    expect(await limiter.reserve('x', { maxWait: '5s' })).toMatchObject({
      allowed: false,
      policy: 'site',
      retryAfterMs: 25_000,
      waitMs: 0,
    })
    expect((await limiter.peek('x')).verdicts.tenant?.resetAfterMs).toBe(1000)
  })

  it('makes nobody wait for a shadow policy', async () => {
    const { store } = moving()
    const limiter = createLimiter({
      store,
      policies: { tenant: oneASecond, trial: gcra({ count: 1, period: '30s' }) },
      shadow: { trial: true },
    })
    await limiter.reserve('x')
    expect(await limiter.reserve('x', { maxWait: '5s' })).toMatchObject({
      allowed: true,
      waitMs: 1000,
      shadow: { policy: 'trial' },
    })
  })

  it('has the rate of the call, and one count whatever the rate', async () => {
    const { store } = moving()
    const perMinute = (count: number) => gcra({ count, period: '1m', burst: 0 })
    const limiter = createLimiter({ store, policy: perMinute(60) })
    await limiter.reserve('bob', { policy: perMinute(60) })
    expect((await limiter.reserve('bob', { policy: perMinute(6) })).waitMs).toBe(1000)
    expect((await limiter.reserve('bob', { policy: perMinute(60) })).waitMs).toBe(11_000)
  })

  it('gives an idle key, of whatever age, no more than the burst', async () => {
    const { store, clock } = moving()
    const limiter = createLimiter({ store, policy: gcra({ count: 2, period: '2s' }) })
    await limiter.reserve('bob')
    await clock.advance('30d')
    const waits: number[] = []
    for (let i = 0; i < 4; i++) waits.push((await limiter.reserve('bob')).waitMs)
    expect(waits).toEqual([0, 0, 1000, 2000])
  })

  it.each<[string, unknown, RegExp]>([
    ['maxWait', '1 hour', /^maxWait: expected a positive duration/],
    ['maxWait', -1, /^maxWait: expected a positive duration/],
    ['maxwait', '1s', /maxWait/],
  ])('rejects a wrong %s: %p', async (name, value, message) => {
    const limiter = createLimiter({ store: moving().store, policy: oneASecond })
    await expect(limiter.reserve('bob', { [name]: value })).rejects.toThrow(message)
  })

  it('rejects a strategy that cannot, also one of the call', async () => {
    const log = slidingWindowLog({ limit: 1, window: '1s' })
    const windows = createLimiter({ policy: log })
    // @ts-expect-error the type knows
    await expect(windows.reserve('bob')).rejects.toThrow(/^limiter.reserve: the strategy of policy "default"/)
    const limiter = createLimiter({ policy: oneASecond })
    await expect(limiter.reserve('bob', { policy: log })).rejects.toThrow(
      /^policies.default: expected a policy that can reserve/,
    )
  })

  it('is reported to observers as what it is', async () => {
    const seen: unknown[] = []
    const limiter = createLimiter({
      policy: oneASecond,
      observers: [{ decided: ({ waitMs }, { operation }) => seen.push([operation, waitMs]) }],
    })
    await limiter.reserve('bob')
    expect(seen).toEqual([['reserve', 0]])
  })
})

describe('cancel', () => {
  it('gives back the last reservation, once', async () => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy: oneASecond })
    await limiter.reserve('bob')
    const second = await limiter.reserve('bob')
    await second.cancel()
    await second.cancel()
    expect((await limiter.reserve('bob')).waitMs).toBe(1000)
  })

  it('gives back nothing that others have built upon', async () => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy: oneASecond })
    await limiter.reserve('bob')
    const second = await limiter.reserve('bob')
    await limiter.reserve('bob')
    await second.cancel()
    expect((await limiter.reserve('bob')).waitMs).toBe(3000)
  })

  it('does nothing where nothing was taken', async () => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy: oneASecond })
    await limiter.reserve('bob')
    const refused = await limiter.reserve('bob', { maxWait: 0 })
    await refused.cancel()
    expect((await limiter.reserve('bob')).waitMs).toBe(1000)
  })
})
