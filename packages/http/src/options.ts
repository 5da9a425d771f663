import type {
  Decider,
  Decision,
  Duration,
  Instant,
  Key,
  Limiter,
  LimiterSettings,
  NotApplicable,
  PerPolicy,
  Policy,
  Refused,
  Subject,
} from '@sluice/core'
import type { Refusal, RequestView } from './request-view.ts'

export type Maybe<T> = T | Promise<T>

/**
 * The result of `key`: one key, or a record with one key per policy name. `undefined`, `null`, an empty string and an empty list,
 * as the result or as a member, mean the client's network, under a name that no answer has (`keyless:203.0.113.7`); `notApplicable`
 * means that the policy does not apply, and as the result that nothing is counted. Anything else that a client may have sent (an object
 * where one key is wanted, true, a list with such members) counts under the network too, with one warning. Only what no client can send
 * is an error: a function, another symbol, a Promise inside the result.
 */
export type KeyAnswer<N extends string> =
  | OneKey
  | { readonly [K in N]: Key | NotApplicable | null | undefined }
/** The result of `key` for a single `policy`. */
type OneKey = Key | NotApplicable | null | undefined
export type KeyOf<Req, A> = (request: Req, view: RequestView) => Maybe<A>

type ChoosePolicy<Req> = (request: Req, view: RequestView) => Maybe<Policy | NotApplicable>

/**
 * A policy, or a function that chooses one for the request (plans): `notApplicable` = no limit. `undefined` or `null`, as for a plan
 * that is not found, is an error.
 */
export type PolicyChoice<Req> = Policy | ChoosePolicy<Req>

/** A delay that grows with what a key has used; nobody is refused. */
export interface SlowDown {
  /** Units that pass without a delay. */
  delayAfter: number
  /** Delay of each unit beyond: 500 delays the first one by half a second, the second by one. A function: the delay, by what is used. */
  delayMs: number | ((used: number) => number)
  /** The longest delay. @default 30_000 */
  maxDelayMs?: number | undefined
}

export interface HeaderOptions {
  /** Send X-RateLimit-*, with Reset in this unit. @default 'seconds' */
  x?: 'seconds' | 'epoch-seconds' | false | undefined
  /**
   * Send the fields of the IETF draft draft-ietf-httpapi-ratelimit-headers: as the newest one has them (true), or in the form of draft
   * 6, 7 or 8 for clients that read no other; drafts 9 to 11 have the form of 8. @default false
   *
   * @example { draft: 7 } // RateLimit: limit=100, remaining=50, reset=30
   */
  draft?: boolean | 6 | 7 | 8 | undefined
}

export interface HttpOptions<Req, N extends string = string> {
  /** Units that the request uses, or its kind where the limiter has `prices`. @default 1 */
  cost?:
    | PerPolicy<N, number>
    | string
    | ((request: Req, view: RequestView) => Maybe<PerPolicy<N, number> | string>)
    | undefined
  /** A string that attributedWindow and fairShare keep; other strategies ignore it. */
  note?: ((request: Req, view: RequestView) => Maybe<string>) | undefined
  /**
   * When the period of the key began: windows of the calendar count from this instant. undefined: the policy's own calendar applies.
   *
   * @example { policy: fixedWindow({ limit: 1000, every: 'month', timeZone: 'Europe/Vienna' }), key, since: (req) => req.customer.startedAt }
   */
  since?: ((request: Req, view: RequestView) => Maybe<Instant | undefined>) | undefined
  /** Return true for requests that are not counted and get no fields. */
  skip?: ((request: Req, view: RequestView) => Maybe<boolean>) | undefined
  /** Addresses and CIDR networks that are never counted. */
  allowList?: readonly string[] | undefined
  /** Addresses and CIDR networks that are refused with 403. */
  denyList?: readonly string[] | undefined
  /**
   * Returns the true cost when the response is over; undefined keeps the charge. `status` is 499, and `aborted` true, if the client has
   * gone before anything was sent; if it went later, only `aborted` is set.
   *
   * @example settle: (_req, { status }) => (status < 400 ? 0 : undefined) // failures only
   */
  settle?:
    | ((
        request: Req,
        response: { readonly status: number; readonly aborted: boolean },
      ) => Maybe<PerPolicy<N, number> | undefined>)
    | undefined
  /**
   * For `concurrency`: release a request's lease when its client hangs up, although the handler continues. Only for handlers that stop
   * their work on `decision.signal`: otherwise hanging up lets in more than `limit`. @default false: held until response and handler are over
   *
   * @example { policy: concurrency({ limit: 2 }), releaseOnAbort: true }
   */
  releaseOnAbort?: boolean | undefined
  /**
   * For `concurrency`: once the handler is over and the client has taken nothing of the answer for this long, the place is free, whatever
   * becomes of the connection. @default '30s'
   *
   * @example { policy: concurrency({ limit: 2 }), sendTimeout: '10s' }
   */
  sendTimeout?: Duration | undefined
  /**
   * Delay a request until its turn, for at most this long, instead of refusing it; if the client hangs up, its turn is given back. For
   * gcra, tokenBucket, leakyBucket, uniform, windows that are `reservable`, and concurrency alone. @default 0
   *
   * @example { policy: gcra({ count: 10, period: '1s', burst: 4 }), maxWait: '500ms' } // 5 at once, 5 more paced, then 429
   */
  maxWait?: Duration | undefined
  /**
   * Delay requests by more and more instead of refusing any: by `delayMs` for each unit that the key has used beyond `delayAfter`. The
   * policy counts them, for any process on its store, and beyond its limit the delay grows no more. No fields are sent.
   *
   * @example { policy: fixedWindow({ limit: 100, window: '15m' }), slowDown: { delayAfter: 5, delayMs: 500, maxDelayMs: 20_000 } }
   */
  slowDown?: SlowDown | undefined
  /**
   * Spreads the moments at which refused clients come back: adds up to this much to the wait of each, always the same for one client.
   * Waits are whole seconds, so a second or less has no effect. @default 0
   *
   * @example { policy: fixedWindow({ limit: 100, window: '1h', start: 'clock' }), retryJitter: '5m' }
   */
  retryJitter?: Duration | undefined
  /** Changes the refusal, with the same signature in every framework. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that changes the refusal in place returns nothing
  onRefused?: ((request: Req, decision: Refused<N>, refusal: Refusal) => Maybe<Refusal | void>) | undefined
  /** 'error' passes a RefusedError to the framework's error handler. @default 'response' */
  refuseBy?: 'response' | 'error' | undefined
  /** Which fields to send; false: only Retry-After and Cache-Control of refusals. */
  headers?: false | HeaderOptions | undefined
  /** Leading bits of an IPv6 address that count as one client. @default 64 */
  ipv6Prefix?: number | undefined
}

/** Any, where the names of a limiter's policies are not known. */
// biome-ignore lint/suspicious/noExplicitAny: whatever it is asked with
type Asked<N extends string> = string extends N ? any : Subject<N>

// One of policy, policies, limiter. Generic over names only, so that a compiler error points at the wrong property; where none of the
// three is given, it speaks of the last member.
type Source<Req, N extends string, S> =
  | {
      /** A limiter that you have made, or a tree of limits. */
      limiter: Decider<S, N>
      policy?: undefined
      policies?: undefined
      /** Of a tree, the path. */
      key: KeyOf<Req, NoInfer<S> | NotApplicable | undefined>
    }
  | {
      limiter: Decider<Asked<N>, N>
      /** With a limiter: chooses one in place of its own, by which it still resets, blocks and inspects. */
      policy?: ChoosePolicy<Req> | undefined
      policies?: undefined
      key?: KeyOf<Req, KeyAnswer<NoInfer<N>>> | undefined
    }
  | {
      limiter: Decider<Asked<N>, N>
      /** With a limiter: the same, by the names of its policies. */
      policies: { readonly [K in NoInfer<N>]?: ChoosePolicy<Req> }
      policy?: undefined
      key?: KeyOf<Req, KeyAnswer<NoInfer<N>>> | undefined
    }
  | (LimiterSettings<NoInfer<N>> & {
      /** Several limits by name, in one step. */
      policies: { readonly [K in N]: PolicyChoice<Req> }
      policy?: undefined
      limiter?: undefined
      key?: KeyOf<Req, KeyAnswer<NoInfer<N>>> | undefined
    })
  | (LimiterSettings<NoInfer<N>> & {
      /** The limit, or a function that chooses it for a request. */
      policy: PolicyChoice<Req>
      policies?: undefined
      limiter?: undefined
      /** Whom to count: what your server has verified. @default (_, view) => view.network */
      key?: KeyOf<Req, OneKey> | undefined
    })

export type RateLimitOptions<Req, N extends string = string, S = Subject<N>> = PolicyOrPoliciesOrLimiter<
  Req,
  N,
  S
>

// Middlewares use this name, as a compiler's error for `rateLimit({})` shows only the type's name.
export type PolicyOrPoliciesOrLimiter<Req, N extends string, S> = Source<Req, N, S> &
  HttpOptions<Req, NoInfer<N>>

/** The members of every middleware: its limiter, the keys of a request, its own decision (`req.rateLimit` is the binding one of all). */
export interface Handle<Req, N extends string = string> {
  // biome-ignore lint/suspicious/noExplicitAny: policies of any ability
  readonly limiter: Limiter<{ readonly [K in N]: Policy<any> }>
  keyOf(request: Req): Promise<Subject<N>>
  decisionFor(request: Req): Decision<N> | undefined
}

/** Options for policies with any names. */
export type AnyOptions<Req> = HttpOptions<Req> &
  LimiterSettings & {
    policy?: PolicyChoice<Req> | undefined
    policies?: { readonly [name: string]: PolicyChoice<Req> } | undefined
    limiter?: Decider<never> | undefined
    key?: KeyOf<Req, unknown> | undefined
  }
