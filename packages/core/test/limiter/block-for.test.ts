import { describe, expect, it } from '@jest/globals'
import { complaint } from '@sluice/conformance/internal'
import { manualClock } from '@sluice/testing'
import {
  type BlockForOptions,
  concurrency,
  createLimiter,
  type Decision,
  type Duration,
  defineStrategy,
  fairShare,
  fixedWindow,
  guardedStore,
  memoryStore,
  type Policy,
  type Store,
  tokenBucket,
} from '../../src/index.ts'
import { policyFrom } from '../../src/strategies.ts'

function two(blockFor: Duration | BlockForOptions): Policy<'refund' | 'penalize' | 'reward'> {
  return fixedWindow({ limit: 2, window: '10s', blockFor })
}

function world(policy: Policy, maxKeys = 100) {
  const clock = manualClock()
  const store = memoryStore({ clock, maxKeys })
  const limiter = createLimiter({ policy, store, logger: { warn() {}, error() {} } })
  const refuse = async (key: string) => {
    for (;;) {
      const decision = await limiter.check(key)
      if (!decision.allowed) return decision
    }
  }
  return { clock, store, limiter, refuse }
}

describe('blockFor', () => {
  it('says in the decision, to observers and in what is inspected that a key is blocked', async () => {
    const { clock, store, limiter, refuse } = world(two({ first: '1m', banAfter: 1, banFor: '1h' }))
    const seen: unknown[] = []
    const decided = ({ reason, retryAfterMs }: Decision) => {
      seen.push([reason, retryAfterMs])
    }
    const watched = createLimiter({ policy: limiter.policies.default, store, observers: [{ decided }] })
    expect(await refuse('bob')).toMatchObject({
      reason: 'blocked',
      remaining: 0,
      limit: 2,
      retryAfterMs: 60_000,
      resetAfterMs: 60_000,
      summary: [1, 2, 0, 60, 60],
    })
    await watched.check('bob')
    await clock.advance('1m')
    expect(await refuse('bob')).toMatchObject({ reason: 'banned', retryAfterMs: 3_600_000 })
    await watched.peek('bob')
    expect(seen).toEqual([
      ['blocked', 60_000],
      ['banned', 3_600_000],
    ])
    expect(await limiter.inspect('bob')).toMatchObject({
      default: {
        allowed: false,
        reason: 'banned',
        remaining: 0,
        blockedMs: 3_600_000,
        banned: true,
        blocks: 2,
      },
    })
    await limiter.reset('bob')
    expect(await limiter.check('bob')).toMatchObject({ allowed: true, remaining: 1 })
  })

  it('keeps nobody out in shadow mode, and says what it would have done', async () => {
    const { clock, store } = world(two('1m'))
    const limiter = createLimiter({ name: 'trial', policy: two('1m'), store, shadow: true })
    for (let i = 0; i < 2; i++) expect((await limiter.check('bob')).shadow).toBeNull()
    for (const wait of [60_000, 40_000]) {
      const decision = await limiter.check('bob')
      expect(decision).toMatchObject({ allowed: true, shadow: { reason: 'blocked', retryAfterMs: wait } })
      await clock.advance('20s')
    }
  })

  it('holds for callers that would wait', async () => {
    const policy = tokenBucket({ capacity: 1, count: 1, period: '10s', blockFor: '1m' })
    const limiter = createLimiter({ policy, store: world(policy).store })
    await limiter.reserve('bob', { maxWait: '10s' })
    await limiter.reserve('bob', { maxWait: '10s' })
    expect(await limiter.reserve('bob', { maxWait: '10s' })).toMatchObject({
      reason: 'blocked',
      retryAfterMs: 60_000,
    })
  })

  it('is counted with the key in memory until it is forgotten', async () => {
    const { clock, store, limiter, refuse } = world(two({ first: '1m', factor: 2, forgetAfter: '10m' }))
    const keys = () => store.health?.().keys
    await refuse('bob')
    await clock.advance('5m')
    // New keys sweep the old ones, but not one whose blocks still count.
    for (const key of ['a', 'b', 'c', 'd']) await limiter.check(key)
    expect(keys()).toBe(5)
    expect(await refuse('bob')).toMatchObject({ retryAfterMs: 120_000 })
    await clock.advance('1h')
    for (const key of ['e', 'f', 'g', 'h', 'i', 'j']) await limiter.check(key)
    expect(keys()).toBeLessThan(11)
    expect(await refuse('bob')).toMatchObject({ retryAfterMs: 60_000 })
  })

  it('refuses without a block where memory is full of exhausted keys', async () => {
    const { limiter, refuse } = world(two('1m'), 3)
    for (const key of ['a', 'b', 'c']) await refuse(key)
    await limiter.check('d')
    await limiter.check('d')
    expect(await limiter.check('d')).toMatchObject({ reason: 'limited', retryAfterMs: 10_000 })
    expect(await limiter.check('a')).toMatchObject({ reason: 'blocked' })
  })

  it("belongs to a strategy of one's own, too", async () => {
    const options = { limit: { kind: 'count', about: 'Once.' } } as const
    const once = defineStrategy<{ limit: number }, { limit: number }, number, Draft, never>({
      name: 'once',
      can: [],
      options,
      look: ({ limit }, used = 0, _nowUs, cost) => ({
        allowed: used + cost <= limit,
        limit,
        remaining: Math.max(0, limit - used - cost),
        retryAfterUs: used + cost <= limit ? 0 : 1000,
        resetAfterUs: 1000,
        used: used + cost,
      }),
      take: (_used, { used }) => used,
      idleUs: () => 1000,
    })
    const { refuse } = world(once({ limit: 1, blockFor: '1m' }))
    expect(await refuse('bob')).toMatchObject({ reason: 'blocked', retryAfterMs: 60_000 })
  })

  it('is an OptionError on a store that cannot block', () => {
    const { store } = world(two('1m'))
    const { answer, adjust, manage, close } = store
    const plain: Store = { name: 'mine', answer, adjust, manage, close }
    const expected =
      'policies.default.blockFor: expected to be left out, as the store cannot block, got "mine"'
    for (const each of [plain, guardedStore(plain)])
      expect(complaint(() => createLimiter({ policy: two('1m'), store: each }))).toContain(expected)
  })

  // biome-ignore format: a table
  it.each<[unknown, string]>([
    ['10sec', 'blockFor: expected a duration such as "10m", or options such as { first: "1m", factor: 2 }, of whole microseconds, from 1 ms to 366 days, got "10sec"'],
    [0, 'blockFor: expected a duration'],
    [null, 'blockFor: expected a duration'],
    [[], 'blockFor: expected an object of options such as { first: … }, got'],
    [{}, 'blockFor.first: expected a positive duration'],
    [{ first: '1m', faktor: 2 }, 'blockFor.faktor: expected a known option (did you mean "factor"?)'],
    [{ first: '1m', factor: 1.5 }, 'blockFor.factor: expected a whole number from 1 to 1000, got 1.5'],
    [{ first: '1m', factor: 2, longest: '30s' }, 'blockFor.longest: expected a duration no shorter than first, got "30s"'],
    [{ first: '1m', longest: '1h' }, 'blockFor.longest: expected factor beside it, got "1h"'],
    [{ first: '1m', banFor: '1h' }, 'blockFor.banFor: expected banAfter beside it, got "1h"'],
    [{ first: '1m', forgetAfter: '1h' }, 'blockFor.forgetAfter: expected factor or banAfter beside it, got "1h"'],
    [{ first: '1m', banAfter: 0 }, 'blockFor.banAfter: expected a whole number from 1 to 1000, got 0'],
    [{ first: '1m', prolong: 'yes' }, 'blockFor.prolong: expected true or false, got "yes"'],
  ])('of %j is an OptionError that names its path', (blockFor, message) => {
    expect(complaint(() => two(blockFor as '1m'))).toContain(message)
    expect(complaint(() => policyFrom({ strategy: 'fixedWindow', limit: 2, window: '10s', blockFor }))).toContain(
      message,
    )
  })

  it('is an OptionError where each first request, or what others have done, would block', () => {
    const inFlight = { limit: 2, blockFor: '1m' } as { limit: number }
    expect(complaint(() => concurrency(inFlight))).toContain(
      'blockFor: expected to be left out, as concurrency refuses while others are in flight',
    )
    const shared = { limit: 2, window: '1s', blockFor: '1m' } as const
    expect(complaint(() => fairShare(shared))).toContain(
      'blockFor: expected to be left out, as a block would refuse all clients of the key for what one has done',
    )
    const empty = { capacity: 1, count: 1, period: '1s', start: 'empty', blockFor: '1m' } as const
    expect(complaint(() => tokenBucket(empty))).toContain(
      'blockFor: expected to be left out, as the first request of each key is refused here',
    )
    expect(
      complaint(() => fixedWindow({ limit: 2, window: '1s', blokFor: '1m' } as { limit: 2; window: '1s' })),
    ).toContain('blokFor: expected a known option (did you mean "blockFor"?)')
  })
})

interface Draft {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  readonly retryAfterUs: number
  readonly resetAfterUs: number
  readonly used: number
}
