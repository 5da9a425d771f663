import { describe, expect, it } from '@jest/globals'
import {
  type Allowed,
  attributedWindow,
  concurrency,
  createLimiter,
  type Decision,
  defineStrategy,
  fixedWindow,
  gcra,
  type Limiter,
  type LimiterAtOnce,
  memoryStore,
  notApplicable,
  type Policies,
  type Policy,
  type Refused,
  tokenBucket,
  uniform,
} from '../../src/index.ts'

const bare = defineStrategy({
  name: 'bare',
  can: [],
  parse: (options: { readonly limit: number }) => options,
  limitOf: ({ limit }) => limit,
  look: ({ limit }) => ({ allowed: true, limit, remaining: limit, retryAfterUs: 0, resetAfterUs: 0 }),
  take: () => ({}),
  idleUs: () => 0,
})

/** Never run: the compiler reads it, and an expected error that is none is one. */
async function readByTheCompiler(): Promise<void> {
  const two = createLimiter({
    policies: {
      visitor: uniform({ interval: '10s' }),
      attraction: fixedWindow({ limit: 5, window: 10_000 }),
    },
    shadow: { visitor: true },
    onStoreFailure: { attraction: 'deny' },
  })
  const decision = await two.check({ visitor: 'bob', attraction: ['tigers', 7] }, { cost: { attraction: 2 } })
  const name: 'visitor' | 'attraction' = decision.policy
  if (decision.allowed) {
    const none: null = decision.retryAfterMs
    // @ts-expect-error what is allowed has no reason
    const reason: string = decision.reason
    void [none, reason]
  } else {
    const reason: 'limited' | 'blocked' | 'banned' | 'denied' | 'too-costly' | 'store-unavailable' =
      decision.reason
    // @ts-expect-error waiting may never help
    const waitMs: number = decision.retryAfterMs
    void [reason, waitMs]
  }
  void [name, decision.verdicts.visitor?.remaining]

  // @ts-expect-error no such policy
  void decision.verdicts.visiter
  // @ts-expect-error no such policy
  void two.check({ visiter: 'bob', attraction: 'tigers' })
  void two.check({ visitor: 'bob', attraction: notApplicable })
  // @ts-expect-error null is no key, and does not say that a policy does not apply
  void two.check({ visitor: 'bob', attraction: null })
  // @ts-expect-error another symbol says nothing
  void two.check({ visitor: 'bob', attraction: Symbol('notApplicable') })
  // @ts-expect-error every policy wants a key, or notApplicable
  void two.check({ visitor: 'bob' })
  // @ts-expect-error a key is no object
  void two.check({ visitor: { id: 7 }, attraction: 'tigers' })
  // @ts-expect-error undefined is no key: a caller must say what is meant
  void two.check({ visitor: undefined, attraction: 'tigers' })
  // @ts-expect-error no such policy
  void two.check('bob', { cost: { visiter: 2 } })
  // @ts-expect-error no such option
  void two.check('bob', { costs: 2 })
  // @ts-expect-error no such policy
  createLimiter({ policies: { a: uniform({ interval: 1 }) }, shadow: { b: true } })
  // @ts-expect-error one or the other
  createLimiter({ policy: uniform({ interval: 1 }), policies: { a: uniform({ interval: 1 }) } })

  // What a strategy cannot do is not callable.
  const mixed = createLimiter({ policies: { a: gcra({ count: 1, period: '1s' }), b: bare({ limit: 3 }) } })
  // @ts-expect-error bare cannot penalize
  void mixed.penalize('bob', 1)
  // What the compiler says of it names what can be written instead.
  const { 'a strategy of this limiter cannot': reserve } = createLimiter({
    policy: fixedWindow({ limit: 1, window: 1 }),
  }).wait
  const instead: `reserve: write reservable(${string}` | undefined = reserve
  void instead
  // @ts-expect-error bare cannot reward
  void mixed.reward('bob', 1)
  // @ts-expect-error bare cannot penalize, and so its count cannot be set
  void mixed.set('bob', 1)
  // @ts-expect-error what is in flight is released, and nothing else
  void createLimiter({ policy: concurrency({ limit: 1 }) }).reward('bob', 1)
  void two.reward('bob', { attraction: 2 })
  void two.set('bob', { attraction: 2, visitor: undefined })
  // @ts-expect-error no such policy
  void two.reward('bob', { attractions: 2 })
  // @ts-expect-error a wait is no count
  void two.set('bob', { wait: '10s' })
  void two.penalize('bob', { wait: '10s' })
  void two.penalize('bob', { attraction: 2 })
  // @ts-expect-error no such policy
  void two.penalize('bob', { attractions: 2 })

  // Units are part of a duration.
  // @ts-expect-error no such unit
  uniform({ interval: '10sec' })
  // @ts-expect-error a text without a unit
  uniform({ interval: '10' })
  // @ts-expect-error a constructor's own options only
  tokenBucket({ capacity: 5, count: 1, period: '1s', burst: 3 })
  // @ts-expect-error a policy is frozen
  uniform({ interval: '1s' }).limit = 5

  // Options may be undefined, so that a ternary fits.
  createLimiter({
    policy: gcra({ count: 1, period: '1s', burst: undefined }),
    store: name ? memoryStore() : undefined,
  })
  const any: Limiter<Policies> = createLimiter<Policies>({
    policies: { a: attributedWindow({ limit: 1, window: 1 }) },
  })
  const given: Policy = fixedWindow({ limit: 1, window: 1 })
  const own: Decision = await any.check('bob', { policy: given })
  const either: Allowed | Refused = own
  void either

  // A field or a parameter may know of less than the limiter can do, and then allows less.
  const rates = createLimiter({ policy: gcra({ count: 1, period: '1s' }) })
  const held: Limiter = rates
  const atOnce: LimiterAtOnce = rates
  void atOnce.checkNow('bob')
  // @ts-expect-error without its policies the type of a limiter is that of one policy
  const several: Limiter = createLimiter({ policies: { a: given, b: given } })
  void several
  const returned: ReturnType<typeof createLimiter> = rates
  const waiting: Limiter<{ readonly default: Policy<'reserve'> }> = rates
  await Promise.all([held.check('bob'), returned.check('bob'), waiting.wait('bob')])
  // @ts-expect-error not known to wait
  await held.wait('bob')
  // @ts-expect-error a limiter that cannot wait is none that can
  const wrong: typeof waiting = createLimiter({ policy: fixedWindow({ limit: 1, window: '1s' }) })
  void wrong
}

describe('the types of a limiter', () => {
  it('are read by the compiler', () => {
    expect(readByTheCompiler).toBeInstanceOf(Function)
  })
})
