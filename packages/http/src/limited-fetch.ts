import {
  type Decision,
  type Duration,
  type Key,
  type Limiter,
  type NotApplicable,
  notApplicable,
  type Policy,
  type Refused,
  type Store,
  type WaitOptions,
} from '@sluice/core'
import {
  checkNames,
  definitions,
  durationUs,
  encodeKey,
  isKey,
  limiters,
  optionalFunction,
  optionError,
  partsOf,
  refusalError,
  runningTime,
  runtime,
  waits,
} from '@sluice/core/internal'
import { tooShort } from './max-wait.ts'
import type { Maybe } from './options.ts'
import { pauseMsOf } from './pause.ts'
import type { Holder } from './subject.ts'

export interface LimitedFetchOptions extends Omit<WaitOptions, 'priority'> {
  /** Requests of one key share a count; `notApplicable`: sent at once, uncounted. Nothing, null too, is a TypeError. @default the host */
  key?: ((url: URL) => Key | NotApplicable) | undefined
  /** Longest pause that an answer can ask for. @default '1h' */
  maxPause?: Duration | undefined
}

type FetchLimiter = Omit<Limiter<{ readonly default: Policy<'reserve' | 'penalize'> }>, 'reward'>

/** What a limiter of ours has beside its public members. */
interface Delaying extends Holder {
  readonly store: Store
  delay(key: Key, options: undefined, wait: waits.Wait): Maybe<Decision>
}

/** A request that waits for its turn. */
interface Sleep {
  readonly interrupted: AbortController
  /** When its turn is; undefined while that is asked for. */
  atMs: number | undefined
  /** Asks for another turn. */
  resume: () => void
}

const paused = Symbol('paused')
const rate = "gcra({ count: 100, period: '1m' })"
const optionNames = ['maxWait', 'signal', 'jitter', 'key', 'maxPause']

/** The requests of one limiter to another service. */
class LimitedFetch {
  readonly #limiter: FetchLimiter & Delaying
  readonly #options: LimitedFetchOptions
  readonly #maxWaitMs: number
  readonly #maxPauseMs: number
  readonly #signal: AbortSignal | undefined
  readonly #jitter: ReturnType<typeof waits.readJitter>
  /** Sleeping callers by key, in the order of their arrival. */
  readonly #sleeping = new Map<string, Set<Sleep>>()

  constructor(limiter: FetchLimiter & Delaying, options: LimitedFetchOptions) {
    this.#limiter = limiter
    this.#options = options
    this.#maxWaitMs = waits.readMaxWait(options.maxWait) / 1000
    const { maxPause = '1h', maxWait } = options
    this.#maxPauseMs = durationUs(maxPause, 'maxPause') / 1000
    limiters.warnOfShortTimes(limiter, { maxPause, maxWait: tooShort(maxWait) })
    this.#signal = waits.readSignal(options.signal)
    this.#jitter = waits.readJitter(options.jitter)
    optionalFunction(options.key, 'key')
  }

  async fetch(input: string | URL | Request, init: RequestInit | undefined): Promise<Response> {
    const url = new URL(input instanceof Request ? input.url : input)
    const key: unknown = this.#options.key === undefined ? url.host : this.#options.key(url)
    if (key === notApplicable) return fetch(input, init)
    if (!isKey(key)) throw optionError('key', 'a key, or notApplicable where no limit is meant', key)
    const own = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    await this.#wait(
      key,
      [own, this.#signal].filter((signal) => signal instanceof AbortSignal),
    )
    const response = await fetch(input, init)
    const pauseMs = pauseMsOf(response, definitions.spacingUs(this.#limiter.policies.default, 1) / 1000)
    if (pauseMs !== null && pauseMs > 0) await this.#pause(key, pauseMs)
    return response
  }

  /** Waits for a turn. After a pause that begins meanwhile, asks for another turn, with what is left of the wait. */
  async #wait(key: Key, signals: readonly AbortSignal[]): Promise<void> {
    const deadlineMs = this.#nowMs() + this.#maxWaitMs
    for (;;) {
      for (const signal of signals) signal.throwIfAborted()
      const interrupted = new AbortController()
      const sleep: Sleep = { interrupted, atMs: undefined, resume: () => {} }
      const resumed = new Promise<void>((resolve) => {
        sleep.resume = resolve
      })
      const wait = {
        maxWaitUs: Math.max(0, Math.floor((deadlineMs - this.#nowMs()) * 1000)),
        signal: interrupted.signal,
        jitter: this.#jitter,
        reserved: (waitMs: number) => {
          sleep.atMs = this.#nowMs() + waitMs
        },
      }
      const leave = this.#enter(key, sleep, signals)
      try {
        const decision = await this.#limiter.delay(key, undefined, wait)
        if (decision.allowed) return
        await this.#waitOut(decision, wait)
        continue
      } catch (error) {
        if (error !== paused) throw error
      } finally {
        leave()
      }
      await resumed
    }
  }

  /** Waits until a block ends: a pause is one where it is longer than the policy's `maxDebt`, and with a window. */
  async #waitOut(decision: Refused, { maxWaitUs, signal }: waits.Wait): Promise<void> {
    const { reason, retryAfterMs } = decision
    if (reason !== 'blocked' || retryAfterMs === null || retryAfterMs * 1000 > maxWaitUs)
      throw refusalError(decision)
    const sleepers = waits.sleepersOf(this.#limiter)
    if (!sleepers.enter()) throw refusalError(decision)
    try {
      await waits.sleepAmong(sleepers, retryAfterMs, signal)
    } finally {
      sleepers.leave()
    }
  }

  /** `AbortSignal.any` would leave something of each request in signals that outlive it. */
  #enter(key: Key, sleep: Sleep, signals: readonly AbortSignal[]): () => void {
    const { interrupted } = sleep
    const name = encodeKey(key)
    const sleeping = this.#sleeping.get(name) ?? new Set<Sleep>()
    this.#sleeping.set(name, sleeping.add(sleep))
    const heard = signals.map((signal) => waits.hear(signal, interrupted))
    return () => {
      for (const each of heard) each.delete(interrupted)
      sleeping.delete(sleep)
      if (sleeping.size === 0) this.#sleeping.delete(name)
    }
  }

  /** Pauses a key. Pauses are raised, never added: twenty answers that say "ten seconds" are one pause of ten seconds. */
  async #pause(key: Key, ms: number): Promise<void> {
    // Callers with the same pause would all come back at once, so that it is lengthened unless the option says not to.
    const lengthened =
      this.#options.jitter === false ? ms : waits.lengthened(ms, Number.POSITIVE_INFINITY, this.#jitter)
    const waitMs = Math.ceil(Math.min(this.#maxPauseMs, lengthened))
    const untilMs = this.#nowMs() + waitMs
    await this.#limiter.penalize(key, { wait: waitMs })
    const early = [...(this.#sleeping.get(encodeKey(key)) ?? [])].filter(
      ({ atMs }) => atMs !== undefined && atMs < untilMs,
    )
    if (early.length > 0) await this.#moveOn(key, early, untilMs)
  }

  /** The last callers give their turns up first, as no later turn builds upon theirs; then all ask again in their order. */
  async #moveOn(key: Key, early: readonly Sleep[], untilMs: number): Promise<void> {
    for (const { interrupted } of early.toReversed()) interrupted.abort(paused)
    await new Promise<void>((resolve) => runtime.nextTurn(resolve))
    try {
      // The turns that were given back may have ended the pause as well, if they reached as far.
      const leftMs = Math.ceil(untilMs - this.#nowMs())
      if (leftMs > 0) await this.#limiter.penalize(key, { wait: leftMs })
    } finally {
      for (const { resume } of early) resume()
    }
  }

  #nowMs(): number {
    return (this.#limiter.store.clock ?? runningTime).nowUs() / 1000
  }
}

/**
 * A `fetch` for calls to an API with a limit of its own: waits its turn, and pauses its key as the answer's Retry-After, RateLimit,
 * RateLimit-Reset or X-RateLimit-Reset says. It never repeats a request; the answer is handed on as it came.
 *
 * @example
 * const limiter = createLimiter({ policy: gcra({ count: 60, period: '1m', burst: 0 }), store: redisStore('redis://localhost') })
 * const get = limitedFetch(limiter)
 * const response = await get('https://api.example.com/orders')
 * @throws RefusedError where its turn would come later than `maxWait`
 */
export function limitedFetch(limiter: FetchLimiter, options: LimitedFetchOptions = {}): typeof fetch {
  checkNames(options, '', optionNames)
  if (typeof limiter?.reserve !== 'function' || !('delay' in limiter))
    throw optionError('limiter', 'a limiter of createLimiter', limiter)
  const { default: policy } = limiter.policies
  // In JavaScript: a place in flight would never be free again, and a window without turns refuses each call.
  if (!('reserve' in Object(policy?.can))) {
    const how = policy && partsOf(policy).definition.later?.how
    throw optionError('limiter', `one whose policy can reserve, such as ${how ?? rate}`, policy?.strategy)
  }
  const limited = new LimitedFetch(limiter as FetchLimiter & Delaying, options) // a limiter that can delay has a store
  return (input, init) => limited.fetch(input as string | URL | Request, init) // what fetch takes
}
