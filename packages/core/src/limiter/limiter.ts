import type { ActReason } from '../act.ts'
import type { CheckOptions, Subject } from '../call-options.ts'
import type {
  Allowed,
  Decision,
  Inspection,
  Penalty,
  PerPolicy,
  Reservation,
  Taking,
} from '../decision/decision.ts'
import { hints } from '../options.ts'
import type { Ability, Policies, Policy } from '../policy.ts'
import type { ReserveOptions, WaitOptions } from '../reserving/options.ts'
import type { LimiterHealth, StoreAtOnce } from '../store.ts'
import type { Duration } from '../units.ts'
import { PolicyLimiter } from './policy-limiter.ts'
import { type LimiterOptions, type LimiterSettings, readSettings } from './settings.ts'

/** Whatever can be asked: a limiter, a tree of limits. S is the question. */
export interface Decider<S, N extends string = string> {
  readonly name: string
  readonly check: (
    subject: S,
    options?: Pick<CheckOptions<N>, 'cost' | 'note' | 'since'>,
  ) => Promise<Decision<N>>
}

/** An operation that a strategy of this limiter cannot do: not callable. A limiter that can do it fits, as any function has a `name`. */
export interface Unsupported<A extends string> {
  readonly name: string
  readonly 'a strategy of this limiter cannot'?: A
}
type Can<P extends Policies, A extends Ability, F, How extends string = A> = [P[keyof P]] extends [Policy<A>]
  ? F
  : Unsupported<How>
/** The compiler shows it: for a window, and for a rate that was declared as a `Policy`. */
type Reservable = "reserve: write reservable(fixedWindow({ … })), or the type Policy<'reserve'>"
type CanReserve<P extends Policies, F> = Can<P, 'reserve', F, Reservable>
/** Callers reserve, or stand in line for what is in flight. */
type CanWait<P extends Policies, F> = [P[keyof P]] extends [Policy<'line'>] ? F : CanReserve<P, F>

export interface Limiter<
  P extends Policies = { readonly default: Policy },
  N extends string = keyof P & string,
> extends Decider<Subject<N>, N> {
  readonly policies: P
  /**
   * Takes, or refuses. Rejects only for a wrong argument (TypeError). With `take: 'up-to'` it takes as many units of the cost as fit,
   * and refuses where not even one does.
   *
   * @example const { taken } = await limiter.check('bob', { cost: rows.length, take: 'up-to' })
   */
  readonly check: {
    (subject: Subject<N>, options: CheckOptions<N, P> & { take: 'up-to' }): Promise<Taking<N>>
    (subject: Subject<N>, options?: CheckOptions<N, P>): Promise<Decision<N>>
  }
  /** Looks, takes nothing. */
  peek(subject: Subject<N>, options?: CheckOptions<N, P>): Promise<Decision<N>>
  /** Takes now what the caller may use after `waitMs`: a caller that waits that long need not ask again. Refused past `maxWait`. */
  reserve: CanReserve<
    P,
    (subject: Subject<N>, options?: CheckOptions<N, P> & ReserveOptions) => Promise<Reservation<N>>
  >
  /**
   * Reserves, and resolves when it is time, never early; at once where it is refused. For a place in flight (`concurrency`) it stands
   * in line, and resolves with the place, or with a refusal when `maxWait` is over. Rejects with the signal's reason, and with the code
   * SLUICE_CLOSED when the limiter is closed.
   */
  wait: CanWait<P, (subject: Subject<N>, options?: CheckOptions<N, P> & WaitOptions) => Promise<Decision<N>>>
  /**
   * Waits, does the work, and releases what it held in flight, also when the work throws.
   *
   * @example await limiter.run('api.example.com', () => fetch('https://api.example.com/'))
   * @throws RefusedError past `maxWait`
   */
  run: CanWait<
    P,
    <T>(
      subject: Subject<N>,
      work: (decision: Allowed<N>) => T | Promise<T>,
      options?: CheckOptions<N, P> & WaitOptions,
    ) => Promise<T>
  >
  /** Takes more, even beyond the limit: after a wrong password, for example. */
  penalize: Can<P, 'penalize', (subject: Subject<N>, penalty: Penalty<N>) => Promise<void>>
  /** Gives back the newest units that the key has used, without a decision: never more than it has used, and nothing while it is blocked. */
  reward: Can<P, 'reward', (subject: Subject<N>, units: PerPolicy<N, number>) => Promise<void>>
  /**
   * From now on the key counts as having used this many units; a block is kept, and policies that a record leaves out stay as they
   * are. Rejects with a StoreError when the store cannot answer.
   */
  set: Can<
    P,
    'penalize',
    (subject: Subject<N>, used: PerPolicy<N, number>, about?: ActReason) => Promise<void>
  >
  /** Refuses a key for a time, a year at most; its count is kept. Rejects with a StoreError when the store cannot answer. */
  block(subject: Subject<N>, time: Duration, about?: ActReason): Promise<void>
  /** Ends a block; rejects as `block` does, and so do the next two. */
  unblock(subject: Subject<N>, about?: ActReason): Promise<void>
  /** Forgets a key's count and any block. */
  reset(subject: Subject<N>, about?: ActReason): Promise<void>
  /** Shows what a key has used, and its block. */
  inspect(subject: Subject<N>): Promise<{ readonly [K in N]?: Inspection }>
  /** Resolves when the store has answered once, its first attempt has failed, or its `connectDeadline` is over (`health` says which). */
  ready(): Promise<void>
  health(): LimiterHealth
  /** Closes what the limiter made itself; a store that was passed in stays open. */
  close(): Promise<void>
}

/** A limiter over a store that answers at once: `memoryStore()`, which is the default. */
export interface LimiterAtOnce<
  P extends Policies = { readonly default: Policy },
  N extends string = keyof P & string,
> extends Limiter<P, N> {
  /**
   * As `check`, answered when the call returns and without a promise: for code that cannot wait, and where a check is made so often that
   * the promise counts. Throws a TypeError for a wrong argument.
   *
   * @example if (!limiter.checkNow('bob').allowed) socket.destroy()
   */
  checkNow(subject: Subject<N>, options?: CheckOptions<N, P>): Decision<N>
}

/** Options whose store answers at once, or is left out. */
type AtOnce = { store?: StoreAtOnce | undefined }

/**
 * A limiter: policies by name, asked about keys. `policy: p` is short for `policies: { default: p }`.
 *
 * @example
 * const tickets = createLimiter({
 *   name: 'tickets',
 *   policies: { visitor: uniform({ interval: '10s' }), attraction: slidingWindowLog({ limit: 100, window: '10s' }) },
 * })
 * const decision = await tickets.check({ visitor: 'bob', attraction: 'tigers' }, { cost: { attraction: 2 } })
 */
export function createLimiter<const P extends Policies>(
  options: AtOnce & { policies: P; policy?: undefined } & LimiterSettings<NoInfer<keyof P & string>>,
): LimiterAtOnce<P>
export function createLimiter<const P extends Policy>(
  options: AtOnce & { policy: P; policies?: undefined } & LimiterSettings<'default'>,
): LimiterAtOnce<{ readonly default: P }>
export function createLimiter<const P extends Policies>(
  options: { policies: P; policy?: undefined } & LimiterSettings<NoInfer<keyof P & string>>,
): Limiter<P>
export function createLimiter<const P extends Policy>(
  options: { policy: P; policies?: undefined } & LimiterSettings<'default'>,
): Limiter<{ readonly default: P }>
export function createLimiter(options: LimiterOptions, ...more: readonly unknown[]): unknown {
  hints.oneArgument?.(more)
  const limiter = new PolicyLimiter(readSettings(options))
  hints.warnOfNew?.(limiter)
  return limiter
}
