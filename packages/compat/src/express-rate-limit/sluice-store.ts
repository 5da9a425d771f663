import {
  type Store as CoreStore,
  createLimiter,
  type Decision,
  fixedWindow,
  isOptionError,
  type Limiter,
  type LimiterSettings,
  type Policy,
} from '@sluice/core'
import { durationUs, optionError, storeError, stores } from '@sluice/core/internal'
import type { ClientRateLimitInfo, Store } from './types.ts'

/** A hit as a limiter sees it. */
export interface Hit extends ClientRateLimitInfo {
  giveBack(): Promise<void> | void
}

/** What `init` reads of a limiter's options: those of express-rate-limit itself have them too. */
export interface StoreSettings {
  readonly windowMs: number
  readonly limit?: unknown
  readonly passOnStoreError?: unknown
  readonly logger?: unknown
}

export interface SluiceStoreOptions {
  /** Limiters with the same prefix on one store share their counts. @default '' */
  prefix?: string | undefined
}

type Window = Policy<'refund' | 'penalize' | 'reward'>
type Counter = Limiter<{ readonly default: Window }>

/** The limiters that count hits. */
interface Counters {
  /** Hits up to the limit. */
  readonly passed: Counter
  /** Hits beyond the limit: `passed` takes nothing for them, so they are counted apart. This window ends with that of `passed`. */
  readonly refused: Counter
}

/** The limit where none is known, and of counts that have none. */
const most = 1e12
/** How many policies are kept of limits that were worked out for a request. */
const mostPolicies = 100

/**
 * A store of Sluice where express-rate-limit wants one: `memoryStore()`, `redisStore(…)` or one of your own. The store stays open
 * after `shutdown`: close it yourself.
 *
 * @example rateLimit({ limit: 100, store: new SluiceStore(redisStore('redis://localhost'), { prefix: 'login' }) })
 */
export class SluiceStore implements Store {
  readonly prefix: string
  localKeys: boolean
  protected store: CoreStore
  #settings: StoreSettings = { windowMs: 60_000 }
  #counters: Counters | undefined
  readonly #policies = new Map<number, Window>()

  constructor(store: CoreStore, options: SluiceStoreOptions = {}) {
    if (!stores.isStore(store, 'store'))
      throw optionError('store', 'a store such as memoryStore() or redisStore(…)', store)
    const { prefix = '' } = options
    if (typeof prefix !== 'string' || prefix.length > 80)
      throw optionError('prefix', 'a string of at most 80 characters', prefix)
    this.store = store
    this.prefix = prefix
    this.localKeys = store.name === 'memory'
  }

  init(settings: StoreSettings): void {
    this.#close()
    this.#settings = settings
    checkWindow(settings.windowMs)
    this.#open()
  }

  /** Counts a hit against a limit; rejects where the store does not answer and `passOnStoreError` is set. */
  async hit(key: string, limit: number): Promise<Hit> {
    const { passed, refused } = this.#open()
    if (limit < 1) return this.#beyond(limit, await refused.check(key))
    const isUsual = limit === passed.policies.default.limit
    const decision = await passed.check(key, isUsual ? undefined : { policy: this.#policyFor(limit) })
    if (decision.source === 'none') throw storeError(this.store.name, 'the store does not answer')
    if (decision.allowed) return hitOf(limit - decision.remaining, decision.resetAfterMs, decision)
    const waitMs = decision.retryAfterMs ?? decision.resetAfterMs
    const untilThen = fixedWindow({ limit: most, window: Math.max(1, waitMs) })
    return this.#beyond(limit, await refused.check(key, { policy: untilThen }), waitMs)
  }

  /** The nth hit beyond the limit; the first where nothing is known of others. */
  #beyond(limit: number, decision: Decision, waitMs: number = decision.resetAfterMs): Hit {
    const hits = decision.source === 'none' ? 1 : Math.max(1, most - decision.remaining)
    return hitOf(limit + hits, waitMs, decision)
  }

  async increment(key: string): Promise<ClientRateLimitInfo> {
    const { totalHits, resetTime } = await this.hit(String(key), this.#limit)
    return { totalHits, resetTime }
  }

  async decrement(key: string): Promise<void> {
    const { passed, refused } = this.#open()
    const { default: beyond } = await refused.inspect(String(key))
    const counter = beyond !== undefined && beyond.remaining < most ? refused : passed
    await counter.reward(String(key), 1)
  }

  async get(key: string): Promise<ClientRateLimitInfo | undefined> {
    const { passed, refused } = this.#open()
    const [within, beyond] = await Promise.all([passed.inspect(String(key)), refused.inspect(String(key))])
    const used = within.default === undefined ? 0 : within.default.limit - within.default.remaining
    const totalHits = used + (beyond.default === undefined ? 0 : most - beyond.default.remaining)
    if (totalHits === 0) return undefined
    const waitMs = (used > 0 ? within : beyond).default?.resetAfterMs ?? 0
    return { totalHits, resetTime: new Date(Date.now() + waitMs) }
  }

  async resetKey(key: string): Promise<void> {
    const { passed, refused } = this.#open()
    await Promise.all([passed.reset(String(key)), refused.reset(String(key))])
  }

  shutdown(): void {
    this.#close()
  }

  /** `most` where the limit is worked out for each request, as then only the limiter knows it. */
  get #limit(): number {
    const { limit } = this.#settings
    return typeof limit === 'number' && limit >= 0 ? Math.min(Math.floor(limit), most) : most
  }

  #policyFor(limit: number): Window {
    const known = this.#policies.get(limit)
    if (known !== undefined) return known
    if (this.#policies.size >= mostPolicies) this.#policies.clear()
    // Their number is milliseconds by its name: ours with a unit warns of nothing.
    const policy = fixedWindow({ limit, window: `${Math.round(this.#settings.windowMs)}ms` })
    this.#policies.set(limit, policy)
    return policy
  }

  #open(): Counters {
    if (this.#counters !== undefined) return this.#counters
    const { passOnStoreError, logger } = this.#settings
    const name = this.prefix === '' ? 'express-rate-limit' : this.prefix
    const settings: LimiterSettings<'default'> = {
      store: this.store,
      onStoreFailure: passOnStoreError === true ? 'allow' : 'local',
      logger: logger as LimiterSettings['logger'], // read as an option there
    }
    try {
      const passed = createLimiter({ ...settings, name, policy: this.#policyFor(this.#limit || most) })
      const refused = createLimiter({ ...settings, name: `${name}.refused`, policy: this.#policyFor(most) })
      this.#counters = { passed, refused }
      return this.#counters
    } catch (error) {
      if (!isOptionError(error) || error.path !== 'name') throw error
      throw optionError(
        'prefix',
        'one of its own, as another limiter of this prefix counts with other numbers: new SluiceStore(store, { prefix: "login" })',
        this.prefix,
      )
    }
  }

  #close(): void {
    void this.#counters?.passed.close()
    void this.#counters?.refused.close()
    this.#counters = undefined
    this.#policies.clear()
  }
}

/** Throws an OptionError for what is no time in milliseconds. They are rounded to whole ones. */
export function checkWindow(windowMs: unknown): void {
  if (typeof windowMs !== 'number') throw optionError('windowMs', 'a number of milliseconds', windowMs)
  durationUs(windowMs < 1 ? windowMs : Math.round(windowMs), 'windowMs')
}

function hitOf(totalHits: number, waitMs: number, decision: Decision): Hit {
  return { totalHits, resetTime: new Date(Date.now() + waitMs), giveBack: () => decision.refund() }
}
