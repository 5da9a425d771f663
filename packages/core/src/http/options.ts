import type { Decision, PerPolicy, Refused } from '../decision.ts'
import { optionError } from '../errors.ts'
import type { Key } from '../key.ts'
import type { Decider, Limiter, Subject } from '../limiter/limiter.ts'
import {
  type LimiterSettings,
  readPolicies,
  readPolicy,
  settingNames,
  unknownPolicy,
} from '../limiter/settings.ts'
import { checkNames, functionOrNothing, join, oneOf, trueOrFalse, wholeNumber } from '../options.ts'
import type { Policy } from '../policy.ts'
import { compileAddressList } from './cidr.ts'
import type { Refusal, RequestView } from './view.ts'

export type Maybe<T> = T | Promise<T>

/** What `key` answers: what `check` takes; undefined, whole or member = `view.network`; a null member = that policy does not apply. */
export type KeyAnswer<N extends string> = Key | { readonly [K in N]: Key | null | undefined } | undefined
export type KeyOf<Req, A> = (request: Req, view: RequestView) => Maybe<A>

/** A policy, or a function that picks one for the request (plans); null = unlimited. */
export type PolicyChoice<Req> = Policy | ((request: Req, view: RequestView) => Maybe<Policy | null>)

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
   * The true cost when the response is over; undefined keeps the charge.
   *
   * @example settle: (_, { status }) => (status < 400 ? 0 : undefined) // count failures only
   */
  settle?:
    | ((
        request: Req,
        response: { readonly status: number; readonly aborted: boolean },
      ) => Maybe<PerPolicy<N, number> | undefined>)
    | undefined
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
      key?: KeyOf<Req, Key | undefined> | undefined
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
      key: KeyOf<Req, NoInfer<S> | undefined>
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

const httpNames = [
  'key',
  'cost',
  'note',
  'skip',
  'allowList',
  'denyList',
  'settle',
  'onRefused',
  'refuseBy',
  'headers',
  'ipv6Prefix',
] as const

/** What the gate keeps of its options: checked, with their defaults, as far as they do not change from request to request. */
export interface Rules {
  readonly allowed: ((address: string) => boolean) | undefined
  readonly denied: ((address: string) => boolean) | undefined
  readonly refuseByError: boolean
  readonly x: 'seconds' | 'epoch-seconds' | false
  readonly draft: boolean
  readonly ipv6Prefix: number
}

/** What options of a gate are called. */
export const gateNames: readonly string[] = ['policy', 'policies', 'limiter', ...settingNames, ...httpNames]

/** What of a limiter's settings a route may say; it counts on the store of all routes. */
export const routeSettings = ['name', 'charge', 'shadow', 'onStoreFailure'] as const

export const routeNames: readonly string[] = ['policy', 'policies', ...routeSettings, ...httpNames]

export function readRules<Req>(options: AnyOptions<Req>): Rules {
  for (const name of ['key', 'note', 'skip', 'settle', 'onRefused'] as const)
    functionOrNothing(options[name], name)
  return {
    allowed: readList(options.allowList, 'allowList'),
    denied: readList(options.denyList, 'denyList'),
    refuseByError: oneOf(options.refuseBy ?? 'response', 'refuseBy', ['response', 'error']) === 'error',
    ...readHeaders(options.headers),
    ipv6Prefix: wholeNumber(options.ipv6Prefix ?? 64, 'ipv6Prefix', 1, 128),
  }
}

export function readHeaders(headers: unknown): Pick<Rules, 'x' | 'draft'> {
  if (headers === false) return { x: false, draft: false }
  if (headers === undefined) return { x: 'seconds', draft: false }
  checkNames(headers, 'headers', ['x', 'draft'])
  const { x = 'seconds', draft = false } = headers as HeaderOptions // an object of these names; values are checked here
  return {
    x: x === false ? false : oneOf(x, 'headers.x', ['seconds', 'epoch-seconds']),
    draft: trueOrFalse(draft, 'headers.draft'),
  }
}

function readList(list: unknown, path: string): Rules['allowed'] {
  if (list === undefined) return undefined
  if (!Array.isArray(list)) throw optionError(path, 'a list of addresses and CIDR', list)
  if (list.length === 0) return undefined
  return compileAddressList(list, (index, expected, got) => {
    throw optionError(`${path}[${index}]`, expected, got)
  })
}

/** One cost, or one by policy; `names` are the policies', undefined where a decider does not tell them. */
export function checkCost(cost: unknown, path: string, names: readonly string[] | undefined): void {
  if (cost === undefined || typeof cost === 'function') return
  if (typeof cost !== 'object' || cost === null) {
    wholeNumber(cost, path, 0)
    return
  }
  for (const [name, each] of Object.entries(cost)) {
    if (names?.includes(name) === false) throw unknownPolicy(path, name, names)
    if (each !== undefined) wholeNumber(each, join(path, name), 0)
  }
}

/** Policies as they stand in options: each a policy, or a function that chooses. */
export function readChoices<Req>(options: AnyOptions<Req>): { readonly [name: string]: PolicyChoice<Req> } {
  return readPolicies(options, (choice, path) => {
    return typeof choice === 'function' ? (choice as PolicyChoice<Req>) : readPolicy(choice, path) // called as documented
  })
}

/** The policies that are known beforehand; null for those that are chosen for each request. */
export function fixedPolicies<Req>(choices: { readonly [name: string]: PolicyChoice<Req> }): {
  readonly [name: string]: Policy | null
} {
  return Object.fromEntries(
    Object.entries(choices).map(([name, choice]) => [name, typeof choice === 'function' ? null : choice]),
  )
}

/** Settings that a ready-made limiter has already. */
export function refuseSettings<Req>(options: AnyOptions<Req>): void {
  for (const name of ['policy', 'policies', ...settingNames] as const) {
    if (options[name] !== undefined)
      throw optionError(join('', name), 'nothing here, as `limiter` brings its own', options[name])
  }
  if (typeof options.limiter?.check !== 'function') throw optionError('limiter', 'a limiter', options.limiter)
}
