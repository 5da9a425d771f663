import { type Key, notApplicable, type Policy, type Store } from '@sluice/core'
import { codedTypeError, limiters, storeError } from '@sluice/core/internal'
import { asError, KeyAnswers } from '@sluice/http/internal'
import { CountingWindows, countedIn, type WindowRules } from './counting-window.ts'
import type { Place } from './place.ts'
import type { FastifyRateLimitStore } from './types.ts'

export interface Count {
  /** Requests in the window, with those that were too many. */
  readonly current: number
  /** Milliseconds until its end. */
  readonly ttl: number
}

/** One request of one limiter. */
export interface Asked {
  /** What the key generator has answered. */
  readonly answer: unknown
  /** Counted instead where that answer is no key. */
  readonly network: string
  /** The key that a store for @fastify/rate-limit gets: always a text or a number. */
  readonly key: string
  readonly max: number
  readonly windowMs: number
  /** false: the count is only looked at. */
  readonly counts: boolean
}

/** Where a limiter counts. */
export interface Counter {
  count(asked: Asked): Promise<Count>
}

const uncounted: Count = { current: 0, ttl: 0 }

/** Counts in a store of Sluice. */
export class SluiceCounter implements Counter {
  readonly #limiter: limiters.PolicyLimiter
  readonly #keys: KeyAnswers
  readonly #windows: CountingWindows
  readonly #place: Place

  constructor(limiter: limiters.PolicyLimiter, rules: WindowRules, place: Place) {
    this.#limiter = limiter
    this.#keys = new KeyAnswers(limiter, { answered: false })
    this.#windows = new CountingWindows(rules)
    this.#place = place
  }

  async count({ answer, network, max, windowMs, counts }: Asked): Promise<Count> {
    const key = this.#keys.subject(answer, network)
    if (key === notApplicable) return uncounted
    const subject = this.#place.keyOf(key as Key, windowMs) // a limiter of one policy is asked about nothing else
    const policy: Policy = this.#windows.of(max, windowMs)
    const cost = counts ? 1 : 0
    const decision = await this.#limiter.decide(subject, { policy, cost }, counts ? 'check' : 'peek')
    if (decision.allowed)
      return decision.source === 'none'
        ? uncounted
        : { current: countedIn(decision.remaining), ttl: decision.resetAfterMs }
    if (decision.reason === 'store-unavailable') throw unavailable()
    // The key was blocked by hand.
    return { current: max + 1, ttl: decision.retryAfterMs ?? windowMs }
  }
}

function unavailable(): Error {
  const error = storeError('redis', 'the rate limit cannot be counted, as its store does not answer')
  return Object.assign(error, { statusCode: 503 })
}

/** Limiters of one name on stores of Sluice. */
export class Limiters {
  readonly #name: string
  readonly #limiters = new Map<Store, Map<boolean | undefined, limiters.PolicyLimiter>>()

  constructor(name: string) {
    this.#name = name
  }

  of(store: Store, skipOnError: boolean | undefined): limiters.PolicyLimiter {
    const ofStore = this.#limiters.get(store) ?? new Map<boolean | undefined, limiters.PolicyLimiter>()
    this.#limiters.set(store, ofStore)
    const known = ofStore.get(skipOnError)
    if (known !== undefined) return known
    const onStoreFailure = skipOnError === undefined ? 'local' : skipOnError ? 'allow' : 'deny'
    const settings = limiters.settingsFor({ name: this.#name, store, onStoreFailure }, { default: null })
    const limiter = new limiters.PolicyLimiter(settings)
    ofStore.set(skipOnError, limiter)
    return limiter
  }

  async close(): Promise<void> {
    for (const ofStore of this.#limiters.values())
      for (const limiter of ofStore.values()) await limiter.close()
  }
}

/** Counts in a store that was written for @fastify/rate-limit. */
export class ForeignCounter implements Counter {
  readonly #store: FastifyRateLimitStore
  readonly #skipOnError: boolean

  constructor(store: FastifyRateLimitStore, skipOnError: boolean) {
    this.#store = store
    this.#skipOnError = skipOnError
  }

  async count({ key, max, windowMs, counts }: Asked): Promise<Count> {
    const store = this.#store
    if (!counts && typeof store.read !== 'function')
      throw codedTypeError(
        '{ increment: false }: the store has no method read(key, callback, timeWindow, max)',
        {
          code: 'SLUICE_UNSUPPORTED',
        },
      )
    try {
      return await new Promise((resolve, reject) => {
        const done = (error: Error | null, count?: Count) => {
          if (error) reject(asError(error))
          else if (typeof count?.current === 'number' && typeof count.ttl === 'number') resolve(count)
          else reject(storeError('store', 'the store has answered no { current, ttl }'))
        }
        if (counts) store.incr(key, done, windowMs, max)
        else store.read?.(key, done, windowMs, max)
      })
    } catch (error) {
      if (this.#skipOnError) return uncounted
      throw error
    }
  }
}
