import type { IoredisLike, NodeRedisLike, Store } from '@sluice/core'
import type { RouteConfig } from '@sluice/http/internal'
import type {
  ContextConfigDefault,
  FastifyRequest,
  FastifySchema,
  preHandlerAsyncHookHandler,
  RouteGenericInterface,
  RouteOptions,
} from 'fastify'

declare module 'fastify' {
  interface FastifyInstance<RawServer, RawRequest, RawReply, Logger, TypeProvider> {
    /** A limiter that a handler asks by itself. */
    createRateLimit(
      options?: CreateRateLimitOptions,
    ): (req: FastifyRequest, callOptions?: { increment?: boolean }) => Promise<RateLimitResult>
    /** A hook for one route, or for the handler of what is not found. */
    rateLimit<
      RouteGeneric extends RouteGenericInterface = RouteGenericInterface,
      ContextConfig = ContextConfigDefault,
      SchemaCompiler extends FastifySchema = FastifySchema,
    >(
      options?: RateLimitOptions,
    ): preHandlerAsyncHookHandler<
      RawServer,
      RawRequest,
      RawReply,
      RouteGeneric,
      ContextConfig,
      SchemaCompiler,
      TypeProvider,
      Logger
    >
  }
  /** What plugins take as the `config.rateLimit` of a route. */
  interface FastifyRateLimits {
    compat: RateLimitOptions
  }
  interface FastifyContextConfig extends RouteConfig<FastifyInstance, FastifyRateLimits> {}
}

/** What a limiter of `createRateLimit` answers. */
export type RateLimitResult =
  | {
      /** On the allow list: not counted. */
      isAllowed: true
      key: string
    }
  | {
      isAllowed: false
      key: string
      max: number
      /** In milliseconds. */
      timeWindow: number
      remaining: number
      /** Milliseconds until the window is over. */
      ttl: number
      ttlInSeconds: number
      isExceeded: boolean
      isBanned: boolean
    }

/** Options of a store's constructor. */
// biome-ignore lint/suspicious/noEmptyInterface: as users' stores name it
export interface FastifyRateLimitOptions {}

export interface errorResponseBuilderContext {
  statusCode: number
  ban: boolean
  /** The wait in words: `1 minute`. */
  after: string
  max: number
  /** The wait in milliseconds. */
  ttl: number
}

export interface FastifyRateLimitStoreCtor {
  new (options: FastifyRateLimitOptions): FastifyRateLimitStore
}

type StoreCallback = (error: Error | null, result?: { current: number; ttl: number }) => void

/** A store for @fastify/rate-limit. With `{ increment: false }` it needs `read`, too. */
export interface FastifyRateLimitStore {
  incr(key: string, callback: StoreCallback, timeWindow: number, max: number): void
  read?(key: string, callback: StoreCallback, timeWindow: number, max: number): void
  child(routeOptions: RouteOptions & { path: string; prefix: string }): FastifyRateLimitStore
}

interface DefaultAddHeaders {
  'x-ratelimit-limit'?: boolean
  'x-ratelimit-remaining'?: boolean
  'x-ratelimit-reset'?: boolean
  'retry-after'?: boolean
}

interface DraftSpecAddHeaders {
  'ratelimit-limit'?: boolean
  'ratelimit-remaining'?: boolean
  'ratelimit-reset'?: boolean
  'retry-after'?: boolean
}

type PerRequest<T> = (req: FastifyRequest, key: string) => T | Promise<T>

export interface CreateRateLimitOptions {
  /** A class of stores for @fastify/rate-limit, or a store of Sluice. @default this process's memory, or `redis` */
  store?: FastifyRateLimitStoreCtor | Store
  /** What happens when the store fails: true lets requests through, false refuses them with 503. @default this process counts meanwhile */
  skipOnError?: boolean
  /** Requests within `timeWindow`. @default 1000 */
  max?: number | PerRequest<number>
  /** In milliseconds, or as `'1 minute'`; at most 366 days. @default 60_000 */
  timeWindow?: number | string | PerRequest<number>
  /** Keys that are not counted, addresses by default. */
  allowList?: string[] | PerRequest<boolean>
  /** The key that a request counts under. An answer that is no key is replaced by the client's network. @default the client's network */
  keyGenerator?: (req: FastifyRequest) => string | number | Promise<string | number>
  /** How many bits of an IPv6 address are counted as one client. @default 64 */
  ipv6Subnet?: number
  /** Refusals within a window after which it answers 403. @default -1: never */
  ban?: number
}

export type RateLimitHook = 'onRequest' | 'preParsing' | 'preValidation' | 'preHandler'

export interface RateLimitOptions extends CreateRateLimitOptions {
  /** @default 'onRequest' */
  hook?: RateLimitHook
  /** Most keys in memory. @default 100_000 */
  cache?: number
  /** One request too many begins the window anew. @default false */
  continueExceeding?: boolean
  /** One request too many begins a window that is twice as long each time, up to a year. @default false */
  exponentialBackoff?: boolean
  /** Routes of one group share a count. */
  groupId?: string
  /** @default an Error with `statusCode` */
  errorResponseBuilder?: (
    req: FastifyRequest,
    context: errorResponseBuilderContext,
  ) => object | Promise<object>
  /** Sends `ratelimit-limit` and so on, without `x-`. @default false */
  enableDraftSpec?: boolean
  /** Called for each request that is within the limit. */
  onExceeding?: (req: FastifyRequest, key: string) => void
  /** Called for each request that is too many. */
  onExceeded?: (req: FastifyRequest, key: string) => void
  /** Called for each request that is answered with 403. */
  onBanReach?: (req: FastifyRequest, key: string) => void
  /** Fields of a refusal. @default all */
  addHeaders?: DefaultAddHeaders | DraftSpecAddHeaders
  /** Fields of all other answers. @default all */
  addHeadersOnExceeding?: Omit<DefaultAddHeaders, 'retry-after'> | Omit<DraftSpecAddHeaders, 'retry-after'>
}

export interface RateLimitPluginOptions extends RateLimitOptions {
  /** Whether all routes are limited; false: only those with `config.rateLimit`. @default true */
  global?: boolean
  /** A client of ioredis or node-redis. You close it yourself. */
  redis?: IoredisLike | NodeRedisLike
  /** Plugins of one name share counts in one store. @default 'fastify-rate-limit-' */
  nameSpace?: string
}
