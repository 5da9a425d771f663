import { validateHeaderName } from 'node:http'
import {
  fixedWindow,
  type IoredisLike,
  memoryStore,
  type NodeRedisLike,
  type Policy,
  redisStore,
  type Store,
  slidingWindowLog,
} from '@sluice/core'
import {
  booleanOption,
  checkNames,
  durationUs,
  oneOf,
  optionalFunction,
  optionError,
  stores,
  wholeNumber,
} from '@sluice/core/internal'
import type { ParameterizedContext } from 'koa'

// biome-ignore lint/suspicious/noExplicitAny: a middleware for applications of any state and context
export type Context = ParameterizedContext<any, any, any>

export interface HeaderNameOptions {
  /** @default 'X-RateLimit-Remaining' */
  remaining?: string | undefined
  /** @default 'X-RateLimit-Reset' */
  reset?: string | undefined
  /** @default 'X-RateLimit-Limit' */
  total?: string | undefined
}

/** The options of koa-ratelimit 5 and 6. An option of another name is an OptionError. */
export interface MiddlewareOptions {
  /** Counts in Redis, at most `max` in any `duration`, or in this process, at most `max` in a window of `duration`. @default 'redis' */
  driver?: 'redis' | 'memory' | undefined
  /**
   * With `driver: 'redis'` a client of ioredis or node-redis. With `driver: 'memory'` a Map, whose `clear()` forgets all counts; it may
   * be left out. With either driver a store of Sluice.
   */
  db?: IoredisLike | NodeRedisLike | Map<unknown, unknown> | Store | undefined
  /** In milliseconds. @default 3_600_000: an hour */
  duration?: number | undefined
  /** Requests within `duration`, 0 for none; with Redis at most 100,000. @default 2500 */
  max?: number | undefined
  /**
   * The key that a request counts under; false: it is not counted. An answer that is no key is replaced by the client's network.
   * @default the client's network
   */
  id?: ((ctx: Context) => unknown) | undefined
  /** Middlewares of one namespace and `db` share counts. @default 'limit' */
  namespace?: string | undefined
  headers?: HeaderNameOptions | undefined
  /** Sends none of the three fields; a refusal has `Retry-After` all the same. @default false */
  disableHeader?: boolean | undefined
  /** The body of a refusal; an object is sent as JSON. @default `Rate limit exceeded, retry in 2 minutes.` */
  errorMessage?: string | object | undefined
  /** The status of a refusal. @default 429 */
  status?: number | undefined
  /** Hands refusals to Koa's error handling. @default false */
  throw?: boolean | undefined
  /** Called for each request that is refused, once its answer is made. */
  onLimited?: ((ctx: Context) => void) | undefined
  /** Requests for which it answers true are not counted. */
  whitelist?: ((ctx: Context) => boolean | Promise<boolean>) | undefined
  /** Requests for which it answers true are refused with 403. */
  blacklist?: ((ctx: Context) => boolean | Promise<boolean>) | undefined
}

const names: readonly (keyof MiddlewareOptions)[] = [
  'driver',
  'db',
  'duration',
  'max',
  'id',
  'namespace',
  'headers',
  'disableHeader',
  'errorMessage',
  'status',
  'throw',
  'onLimited',
  'whitelist',
  'blacklist',
]

const hourMs = 3_600_000

/** Options as the middleware keeps them. */
export interface Settings {
  readonly policy: Policy
  readonly durationMs: number
  /** The store to use now: a Map that was cleared has a new one. */
  readonly store: () => Store
  readonly namespace: string
  readonly id: MiddlewareOptions['id']
  readonly headers: Readonly<Record<'remaining' | 'reset' | 'total', string>> | undefined
  readonly errorMessage: string | object | undefined
  readonly status: number
  readonly throws: boolean
  readonly onLimited: MiddlewareOptions['onLimited']
  readonly whitelist: MiddlewareOptions['whitelist']
  readonly blacklist: MiddlewareOptions['blacklist']
}

export function readOptions(options: MiddlewareOptions): Settings {
  checkNames(options, '', names)
  for (const name of ['id', 'onLimited', 'whitelist', 'blacklist'] as const)
    optionalFunction(options[name], name)
  const { namespace = 'limit' } = options
  if (typeof namespace !== 'string' || namespace === '') throw optionError('namespace', 'a string', namespace)
  const { id, errorMessage, onLimited, whitelist, blacklist } = options
  const driver = oneOf(options.driver ?? 'redis', 'driver', ['redis', 'memory'])
  const disabled = booleanOption(options.disableHeader ?? false, 'disableHeader')
  const headers = readHeaders(options.headers ?? {})
  return {
    policy: policyOf(driver, options),
    durationMs: durationUs(options.duration ?? hourMs, 'duration') / 1000,
    store: storeOf(driver, options.db),
    namespace,
    id,
    headers: disabled ? undefined : headers,
    errorMessage,
    status: wholeNumber(options.status ?? 429, 'status', 400, 599),
    throws: booleanOption(options.throw ?? false, 'throw'),
    onLimited,
    whitelist,
    blacklist,
  }
}

/** The policy by which koa-ratelimit counts with either driver. */
function policyOf(driver: 'redis' | 'memory', { max = 2500, duration = hourMs }: MiddlewareOptions): Policy {
  durationUs(duration, 'duration')
  if (driver === 'memory') return fixedWindow({ limit: wholeNumber(max, 'max', 0), window: duration })
  return slidingWindowLog({ limit: wholeNumber(max, 'max', 0, 100_000), window: duration })
}

function storeOf(driver: 'redis' | 'memory', db: MiddlewareOptions['db']): () => Store {
  if (stores.isStore(db, 'db')) return () => db
  if (driver === 'memory') {
    if (db instanceof Map) return () => storeIn(db)
    if (db !== undefined) throw optionError('db', "a Map, as the driver is 'memory', or nothing", db)
  } else if (db === undefined || db instanceof Map) {
    throw optionError('db', "a client of ioredis or node-redis, or driver: 'memory'", db)
  }
  const store = db === undefined ? memoryStore() : redisStore(db)
  return () => store
}

const inMap = Symbol('counts of Sluice')

/** The store of a Map, for all middlewares that are given the Map. It is kept in the Map, so that clearing this forgets all counts. */
function storeIn(db: Map<unknown, unknown>): Store {
  const known = db.get(inMap)
  if (known !== undefined) return known as Store // only this function has the symbol
  const store = memoryStore()
  db.set(inMap, store)
  return store
}

function readHeaders(headers: HeaderNameOptions): Settings['headers'] {
  checkNames(headers, 'headers', ['remaining', 'reset', 'total'])
  const {
    remaining = 'X-RateLimit-Remaining',
    reset = 'X-RateLimit-Reset',
    total = 'X-RateLimit-Limit',
  } = headers
  for (const name of [remaining, reset, total]) validateHeaderName(name)
  return { remaining, reset, total }
}
