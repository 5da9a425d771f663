import type { NextFunction, Request, RequestHandler, Response } from 'express'

/** `message` says what was being done, where the error does not. */
export type LoggerFn = (error: unknown, message?: string) => void

export interface Logger {
  error: LoggerFn
  warn: LoggerFn
}

/** A value that is worked out for each request. */
export type ValueDeterminingMiddleware<T> = (request: Request, response: Response) => T | Promise<T>

/** Answers a request that is refused. */
export type RateLimitExceededEventHandler = (
  request: Request,
  response: Response,
  next: NextFunction,
  optionsUsed: Options,
) => unknown

/** Of version 6 of express-rate-limit; nothing calls it. */
export type RateLimitReachedEventHandler = (
  request: Request,
  response: Response,
  optionsUsed: Options,
) => void

/** What a store counts for a key, refused hits among them; a store that does not know when it begins anew answers no `resetTime`. */
export interface ClientRateLimitInfo {
  totalHits: number
  resetTime: Date | undefined
}

/** What `MemoryStore` of express-rate-limit keeps of a key. */
export interface Client {
  totalHits: number
  resetTime: Date
}

export type IncrementResponse = ClientRateLimitInfo

export type IncrementCallback = (
  error: Error | undefined,
  totalHits: number,
  resetTime: Date | undefined,
) => void

/** A store of version 5 of express-rate-limit. */
export interface LegacyStore {
  incr(key: string, callback: IncrementCallback): void
  decrement(key: string): void
  resetKey(key: string): void
  resetAll?(): void
}

/** Counts hits. Its methods may answer at once, or a promise. */
export interface Store {
  /** Called once, by the limiter that the store is for. What it throws is logged. */
  init?(options: Options): void | Promise<void>
  get?(key: string): Promise<ClientRateLimitInfo | undefined> | ClientRateLimitInfo | undefined
  increment(key: string): Promise<IncrementResponse> | IncrementResponse
  decrement(key: string): Promise<void> | void
  resetKey(key: string): Promise<void> | void
  resetAll?(): Promise<void> | void
  shutdown?(): Promise<void> | void
  /** Whether no other instance of the store counts the same keys. */
  localKeys?: boolean
  /** What the store puts before each key. */
  prefix?: string
}

export type DraftHeadersVersion = 'draft-6' | 'draft-7' | 'draft-8'

/** The likely mistakes that are looked for, and what each is looked for in. */
export interface Validated {
  ip: [ip: string | undefined]
  trustProxy: [request: Request]
  xForwardedForHeader: [request: Request]
  forwardedHeader: [request: Request]
  key: [kind: string]
  positiveHits: [hits: unknown]
  unsharedStore: [store: object]
  singleCount: [request: Request, store: Store, key: string]
  limit: [limit: number]
  draftPolliHeaders: [value: unknown]
  onLimitReached: [value: unknown]
  headersDraftVersion: [version: unknown]
  headersResetTime: [resetTime: Date | undefined]
  knownOptions: [options: object]
  validationsConfig: [enabled: EnabledValidations]
  creationStack: []
  ipv6Subnet: [bits: unknown]
  ipv6SubnetOrKeyGenerator: [options: Pick<GivenOptions, 'ipv6Subnet' | 'keyGenerator'>]
  keyGeneratorIpFallback: [keyGenerator: unknown]
  windowMs: []
}

export type ValidationName = keyof Validated

/** Which validations run; `default` is for those that are not named. */
export type EnabledValidations = { [name in ValidationName | 'default']?: boolean }

/** Of version 8 of express-rate-limit. */
export interface Options {
  /** Length of the window that a key's first hit begins. @default 60_000 */
  windowMs: number
  /** Hits that are let through in a window. @default 5 */
  limit: number | ValueDeterminingMiddleware<number>
  /** The body of a refusal. @default 'Too many requests, please try again later.' */
  // biome-ignore lint/suspicious/noExplicitAny: as in express-rate-limit, so that users may read it as what they have written
  message: any
  /** The status of a refusal. @default 429 */
  statusCode: number
  /** Send `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`. @default true */
  legacyHeaders: boolean
  /** Send the fields of a draft; `true` is `'draft-6'`. @default false */
  standardHeaders: boolean | DraftHeadersVersion
  /** The name of the limit in the fields of draft 8. @default limit and window: '100-in-15min' */
  identifier: string | ValueDeterminingMiddleware<string>
  /** How many seconds a refusal asks clients to wait, as `Retry-After`. @default until the window ends */
  retryAfter?: number | ValueDeterminingMiddleware<number>
  /** Where a request carries its `RateLimitInfo`. @default 'rateLimit' */
  requestPropertyName: string
  /** Give a hit back whose request fails. @default false */
  skipFailedRequests: boolean
  /** Give a hit back whose request succeeds. @default false */
  skipSuccessfulRequests: boolean
  /** The key that a request counts under. @default the address, IPv6 cut to `ipv6Subnet` bits */
  keyGenerator: ValueDeterminingMiddleware<string>
  /** Bits of an IPv6 address that count, `false` for all of them. @default 56 */
  ipv6Subnet: number | ValueDeterminingMiddleware<number> | false
  /** Answers a refused request. @default sends `message` with `statusCode` */
  handler: RateLimitExceededEventHandler
  /** Whether a request is let through uncounted. @default never */
  skip: ValueDeterminingMiddleware<boolean>
  /** What a success is to `skipFailedRequests` and `skipSuccessfulRequests`. @default a status below 400 */
  requestWasSuccessful: ValueDeterminingMiddleware<boolean>
  /** @default a MemoryStore of its own */
  store: Store | LegacyStore
  /** Which likely mistakes are looked for. @default true */
  validate: boolean | EnabledValidations
  /** The old name of `legacyHeaders`. */
  headers?: boolean
  /** The old name of `limit`. */
  max?: number | ValueDeterminingMiddleware<number>
  /** Let requests through while the store fails. @default false */
  passOnStoreError: boolean
  /** @default console */
  logger: Logger
}

/** What users may write: `undefined` is the same as nothing. */
export type GivenOptions = { [name in keyof Options]?: Options[name] | undefined }

/** What a request carries. */
export interface RateLimitInfo {
  limit: number
  /** Hits in this window, this one and refused ones among them. */
  used: number
  remaining: number
  resetTime: Date | undefined
  key: string
}

/** A request with what a limiter puts on it, also where another library declares a `rateLimit` of its own. */
export type AugmentedRequest = Request & { [key: string]: RateLimitInfo } & ('rateLimit' extends keyof Request
    ? { rateLimit: RateLimitInfo }
    : object)

export type RateLimitRequestHandler = RequestHandler & {
  /** Forgets what a key has used. */
  resetKey: (key: string) => void
  /** What a key has used; nothing where it has used nothing. */
  getKey: (key: string) => Promise<ClientRateLimitInfo | undefined> | ClientRateLimitInfo | undefined
}
