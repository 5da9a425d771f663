import { describe, expect, it } from '@jest/globals'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  guardedStore,
  memoryStore,
  type Observer,
  type Store,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '../../src/index.ts'

const bucket = tokenBucket({ capacity: 10, count: 10, period: '10s' })

function clocked() {
  const clock = { nowUs: () => clock.us, us: 1_000_000 }
  return { clock, store: memoryStore({ clock }) }
}

describe('take: "up-to"', () => {
  it('says how many of the cost were taken, and is refused until one fits', async () => {
    const { clock, store } = clocked()
    const limiter = createLimiter({ policy: bucket, store })
    expect(await limiter.check('bob', { cost: 4, take: 'up-to' })).toMatchObject({ taken: 4, remaining: 6 })
    const part = await limiter.check('bob', { cost: 50, take: 'up-to' })
    expect(part).toMatchObject({ allowed: true, taken: 6, cost: 6, remaining: 0, retryAfterMs: null })
    const none = await limiter.check('bob', { cost: 50, take: 'up-to' })
    expect(none).toMatchObject({ allowed: false, taken: 0, reason: 'limited', cost: 50, retryAfterMs: 1000 })
    clock.us += 999_999
    expect(await limiter.check('bob', { cost: 50, take: 'up-to' })).toMatchObject({ taken: 0 })
    clock.us += 1
    expect(await limiter.check('bob', { cost: 50, take: 'up-to' })).toMatchObject({ taken: 1 })
  })

  it('settles and refunds what was taken, and nothing of the rest', async () => {
    const { store } = clocked()
    const limiter = createLimiter({ policy: bucket, store })
    await limiter.check('bob', { cost: 3 })
    const part = await limiter.check('bob', { cost: 50, take: 'up-to' })
    await part.settle(2)
    expect(await limiter.peek('bob')).toMatchObject({ allowed: true, remaining: 5 })
    const again = await limiter.check('bob', { cost: 50, take: 'up-to' })
    await again.refund()
    expect(await limiter.peek('bob')).toMatchObject({ remaining: 5 })
    const none = createLimiter({ name: 'none', policy: fixedWindow({ limit: 0, window: '1m' }), store })
    const refused = await none.check('bob', { cost: 5, take: 'up-to' })
    await refused.settle(3)
    expect(refused).toMatchObject({ taken: 0, reason: 'too-costly' })
  })

  it('takes all or nothing of the largest amount that all policies have room for, whatever `charge` says', async () => {
    const policies = {
      visitor: fixedWindow({ limit: 4, window: '1m' }),
      all: fixedWindow({ limit: 6, window: '1m' }),
    }
    const limiter = createLimiter({ policies, charge: 'every-level', shadow: { all: false } })
    const first = await limiter.check({ visitor: 'a', all: 'x' }, { cost: 50, take: 'up-to' })
    expect(first).toMatchObject({
      taken: 4,
      verdicts: { visitor: { cost: 4 }, all: { cost: 4, remaining: 2 } },
    })
    expect(await limiter.check({ visitor: 'b', all: 'x' }, { cost: 50, take: 'up-to' })).toMatchObject({
      taken: 2,
    })
    expect(await limiter.check({ visitor: 'b', all: 'x' }, { cost: 50, take: 'up-to' })).toMatchObject({
      taken: 0,
    })
    expect((await limiter.inspect({ visitor: 'b', all: 'x' })).visitor).toMatchObject({ remaining: 2 })
  })

  it('is not bound by a shadow policy, which takes all that the others take, or nothing', async () => {
    const policies = {
      real: fixedWindow({ limit: 4, window: '1m' }),
      trial: fixedWindow({ limit: 3, window: '1m' }),
    }
    const limiter = createLimiter({ policies, shadow: { trial: true } })
    const decision = await limiter.check('bob', { cost: 50, take: 'up-to' })
    expect(decision).toMatchObject({ taken: 4, shadow: { policy: 'trial', reason: 'too-costly' } })
    const alone = createLimiter({ policy: policies.trial, shadow: true })
    expect(await alone.check('bob', { cost: 50, take: 'up-to' })).toMatchObject({ allowed: true, taken: 50 })
  })

  it('observers hear what was charged', async () => {
    const heard: number[] = []
    const observer: Observer = { decided: ({ cost }) => void heard.push(cost) }
    const limiter = createLimiter({ policy: bucket, observers: [observer] })
    for (let i = 0; i < 2; i++) await limiter.check('bob', { cost: 50, take: 'up-to' })
    expect(heard).toEqual([10, 50])
  })

  it('a cost of 0 takes nothing, and what does not apply has no say', async () => {
    const limiter = createLimiter({ policies: { a: bucket, b: fixedWindow({ limit: 1, window: '1m' }) } })
    expect(await limiter.check('bob', { cost: 0, take: 'up-to' })).toMatchObject({ allowed: true, taken: 0 })
    expect(await limiter.check('bob', { cost: { a: 50, b: 0 }, take: 'up-to' })).toMatchObject({
      verdicts: { a: { cost: 10 }, b: { cost: 0, remaining: 1 } },
    })
  })

  // biome-ignore format: a table
  const mistakes: readonly (readonly [string, () => Promise<unknown>, object])[] = [
    ['another word', () => createLimiter({ policy: bucket }).check('bob', { take: 'all' as 'up-to' }), { path: 'take' }],
    ['peek', () => createLimiter({ policy: bucket }).peek('bob', { take: 'up-to' } as object), { path: 'take' }],
    ['reserve', () => createLimiter({ policy: bucket }).reserve('bob', { take: 'up-to' } as object), { path: 'take' }],
    ['wait', () => createLimiter({ policy: bucket }).wait('bob', { take: 'up-to' } as object), { path: 'take' }],
    ['wait for a place', () => createLimiter({ policy: concurrency({ limit: 1 }) }).wait('bob', { take: 'up-to' } as object), { path: 'take' }],
    ['what is in flight', () => createLimiter({ policy: concurrency({ limit: 5 }) }).check('bob', { cost: 2, take: 'up-to' }), { path: 'take' }],
    ['a gate', () => createLimiter({ policy: uniform({ interval: '1s' }) }).check('bob', { cost: 2, take: 'up-to' }), { path: 'take' }],
    ['several costs', () => createLimiter({ policies: { a: bucket, b: bucket } }).check('bob', { cost: { a: 1, b: 2 }, take: 'up-to' }), { path: 'cost' }],
  ]
  it.each(mistakes)('%s is an OptionError', async (_title, ask, error) => {
    await expect(ask()).rejects.toMatchObject({ code: 'SLUICE_OPTION', ...error })
  })

  it('a store that cannot is an error, and is not asked', async () => {
    const { store } = clocked()
    const { answer, adjust, manage, close } = store
    const older: Store = { name: 'older', answer, adjust, manage, close }
    await expect(
      createLimiter({ policy: bucket, store: older }).check('bob', { take: 'up-to' }),
    ).rejects.toMatchObject({
      code: 'SLUICE_UNSUPPORTED',
    })
  })
})

describe('take: "up-to" while the store is away', () => {
  const away: Store = {
    name: 'away',
    can: ['upTo'],
    answer: () => Promise.reject(new Error('away')),
    adjust: () => {},
    manage: () => {},
    close: async () => {},
  }

  it('takes what fits in this process', async () => {
    const limiter = createLimiter({
      policy: bucket,
      store: guardedStore(away),
      logger: { warn() {}, error() {} },
    })
    expect(await limiter.check('bob', { cost: 50, take: 'up-to' })).toMatchObject({
      taken: 10,
      source: 'fallback',
    })
    expect(await limiter.check('bob', { cost: 50, take: 'up-to' })).toMatchObject({
      taken: 0,
      source: 'fallback',
    })
    await limiter.close()
  })

  it('takes less than the store has just refused, and no more', async () => {
    const { store } = clocked()
    let isAway = false
    const flaky: Store = {
      ...away,
      answer: (question) => (isAway ? away.answer(question) : store.answer(question)),
    }
    const policy = gcra({ count: 10, period: '1h', burst: 9 })
    const limiter = createLimiter({ policy, store: guardedStore(flaky), logger: { warn() {}, error() {} } })
    const elsewhere = createLimiter({ policy, store })
    await elsewhere.check('bob', { cost: 6 })
    expect(await limiter.check('bob', { cost: 5 })).toMatchObject({ allowed: false, remaining: 4 })
    isAway = true
    expect(await limiter.check('bob', { cost: 50, take: 'up-to' })).toMatchObject({
      taken: 4,
      source: 'fallback',
    })
    await limiter.close()
  })

  it('lets all of it pass where the policy is not counted then', async () => {
    const limiter = createLimiter({
      policy: slidingWindowLog({ limit: 3, window: '1m' }),
      store: guardedStore(away),
      onStoreFailure: 'allow',
      logger: { warn() {}, error() {} },
    })
    expect(await limiter.check('bob', { cost: 50, take: 'up-to' })).toMatchObject({
      taken: 50,
      source: 'none',
    })
    await limiter.close()
  })
})
