import type { Decision, PerPolicy, Refused } from '../decision/decision.ts'
import type { Key } from '../key.ts'
import type { Decider, Limiter, Subject } from '../limiter/limiter.ts'
import type { LimiterSettings } from '../limiter/settings.ts'
import type { NotApplicable } from '../not-applicable.ts'
import type { Policy } from '../policy.ts'
import type { Duration } from '../units.ts'
import type { Refusal, RequestView } from './view.ts'

export type Maybe<T> = T | Promise<T>

/** An answer that is still to come: a Promise of any library or realm. */
export function isLater<T>(answer: T | PromiseLike<T>): answer is PromiseLike<T> {
  return (
    typeof answer === 'object' && answer !== null && 'then' in answer && typeof answer.then === 'function'
  )
}

/**
 * What `key` answers: one key, or a record with one for each policy by name. `undefined`, `null`, an empty text and an empty list,
 * whole or as a member, mean `view.network`; `notApplicable` means that the policy does not apply, and as the whole answer that
 * nothing is counted. Whatever else a client may have written (an object where one key is wanted, true, a list with such members)
 * counts under `view.network` too, with one warning; only what no client can write is an error: a function, another symbol, a
 * Promise inside the answer.
 */
export type KeyAnswer<N extends string> =
  | OneKey
  | { readonly [K in N]: Key | NotApplicable | null | undefined }
/** What `key` answers for a single `policy`. */
type OneKey = Key | NotApplicable | null | undefined
export type KeyOf<Req, A> = (request: Req, view: RequestView) => Maybe<A>

/**
 * A policy, or a function that picks one for the request (plans): `notApplicable` = no limit. Nothing, as of a plan that is not
 * found, is an error.
 */
export type PolicyChoice<Req> = Policy | ((request: Req, view: RequestView) => Maybe<Policy | NotApplicable>)

export interface HeaderOptions {
  /** X-RateLimit-*, and the unit of its Reset. @default 'seconds' */
  x?: 'seconds' | 'epoch-seconds' | false | undefined
  /** `RateLimit` and `RateLimit-Policy` of the IETF draft, beside or alone. @default false */
  draft?: boolean | undefined
}

export interface HttpOptions<Req, N extends string = string> {
  /** Units that the request takes. @default 1 */
  cost?: PerPolicy<N, number> | ((request: Req, view: RequestView) => Maybe<PerPolicy<N, number>>) | undefined
  /** Kept by attributedWindow. */
  note?: ((request: Req, view: RequestView) => string) | undefined
  /** true: not counted, no fields. */
  skip?: ((request: Req, view: RequestView) => Maybe<boolean>) | undefined
  /** Addresses and CIDR that are never counted. */
  allowList?: readonly string[] | undefined
  /** Addresses and CIDR that are refused with 403. */
  denyList?: readonly string[] | undefined
  /**
   * The true cost when the response is over; undefined keeps the charge. `status` is 499, and `aborted` true, where the client has
   * gone before anything was sent; `aborted` alone says that it went before all was sent.
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
   * Of `concurrency`: free a request's place when its client hangs up, though the handler goes on. Only for handlers that stop
   * their work by `decision.signal`: else hanging up lets in more than `limit`. @default false: held until response and handler are over
   *
   * @example { policy: concurrency({ limit: 2 }), releaseOnAbort: true }
   */
  releaseOnAbort?: boolean | undefined
  /**
   * Hold a request until it is its turn rather than refuse it, no longer than this; a client that goes gives its place back. For
   * policies that can reserve: gcra, tokenBucket, leakyBucket, uniform. @default 0
   *
   * @example { policy: gcra({ count: 10, period: '1s', burst: 4 }), maxWait: '500ms' } // 5 at once, 5 more paced, then 429
   */
  maxWait?: Duration | undefined
  /** Changes the refusal; one signature in every framework. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that changes the refusal in place answers nothing
  onRefused?: ((request: Req, decision: Refused<N>, refusal: Refusal) => Maybe<Refusal | void>) | undefined
  /** 'error' hands a RefusedError to the framework's error handler. @default 'response' */
  refuseBy?: 'response' | 'error' | undefined
  /** false: no fields but Retry-After. */
  headers?: false | HeaderOptions | undefined
  /** Leading bits of an IPv6 address that count as one client. @default 64 */
  ipv6Prefix?: number | undefined
}

/** Exactly one of policy, policies, limiter. One signature, generic over names only, so that an error points at the wrong property. */
export type Source<Req, N extends string, S> =
  | (LimiterSettings<NoInfer<N>> & {
      policy: PolicyChoice<Req>
      policies?: undefined
      limiter?: undefined
      /** @default (_, view) => view.network */
      key?: KeyOf<Req, OneKey> | undefined
    })
  | (LimiterSettings<NoInfer<N>> & {
      policies: { readonly [K in N]: PolicyChoice<Req> }
      policy?: undefined
      limiter?: undefined
      key?: KeyOf<Req, KeyAnswer<NoInfer<N>>> | undefined
    })
  | {
      limiter: Decider<Subject<N>, N>
      policy?: undefined
      policies?: undefined
      key?: KeyOf<Req, KeyAnswer<NoInfer<N>>> | undefined
    }
  | {
      limiter: Decider<S, N>
      policy?: undefined
      policies?: undefined
      /** A tree: the key is the path. */
      key: KeyOf<Req, NoInfer<S> | NotApplicable | undefined>
    }

export type RateLimitOptions<Req, N extends string = string, S = Subject<N>> = Source<Req, N, S> &
  HttpOptions<Req, NoInfer<N>>

/** On every middleware: its limiter, the keys of a request, its own decision (`req.rateLimit` is the binding one of all). */
export interface Handle<Req, N extends string = string> {
  // biome-ignore lint/suspicious/noExplicitAny: policies of any ability
  readonly limiter: Limiter<{ readonly [K in N]: Policy<any> }>
  keyOf(request: Req): Promise<Subject<N>>
  decisionFor(request: Req): Decision<N> | undefined
}

/** Options whatever the names of the policies. */
export type AnyOptions<Req> = HttpOptions<Req> &
  LimiterSettings & {
    policy?: PolicyChoice<Req> | undefined
    policies?: { readonly [name: string]: PolicyChoice<Req> } | undefined
    limiter?: Decider<never> | undefined
    key?: KeyOf<Req, unknown> | undefined
  }
