import { optionError } from '../errors.ts'
import { noSuchOptionHere } from '../hints.ts'
import { checkNames } from '../options.ts'
import { type RedisOptions, readClient } from '../redis/client.ts'
import type { GlideLike, IoredisLike, NodeRedisLike } from '../redis/client-kinds.ts'
import type { RestOptions } from '../redis/rest-options.ts'
import { RedisStore } from '../redis/store.ts'
import type { Store } from '../store.ts'
import { type Duration, durationOrZeroUs, msUp } from '../units.ts'
import { guard } from './guard.ts'
import { type GuardOptions, guardNames, readGuardOptions } from './guard-options.ts'

/**
 * A URL, the options of a client that is made and closed here, a REST API, or a client of your own, of one server or a cluster:
 * ioredis 5 or 6, node-redis (the package `redis`) 5 or 6, or, for one server, Valkey GLIDE 2. You connect and close it yourself.
 */
export type RedisClient = string | URL | RedisOptions | RestOptions | IoredisLike | NodeRedisLike | GlideLike

export interface RedisStoreOptions extends GuardOptions {
  /** Prefix of every key, before `sl3:`; no braces. @default '' */
  prefix?: string | undefined
  /**
   * How long a refusal may be repeated here without asking Redis, at most as long as its wait. Where another process gives back,
   * resets or unblocks the key, this one goes on refusing it for that long. 0: every check asks. @default '1s'
   *
   * @example redisStore('redis://localhost', { refusalCache: 0 })
   */
  refusalCache?: Duration | 0 | undefined
}

interface Made {
  readonly store: Store
  readonly inner: RedisStore
}

// One guard per client: one breaker, one fallback, one health.
const stores = new WeakMap<object, Made & { readonly options: string }>()

export function readPrefix(prefix: unknown = ''): string {
  if (typeof prefix === 'string' && !/[{}]/.test(prefix)) return prefix
  throw optionError('prefix', 'a string without braces', prefix)
}

/**
 * Counts in Redis, on the server's clock, in one script call for all that is asked: on a cluster one for each slot. Guarded: no
 * request waits longer than the deadline (the first ones: than connectDeadline), and while Redis is away each policy goes on as its
 * `onStoreFailure` says. Closes only a client that it made.
 *
 * @example
 * const store = redisStore('redis://localhost')
 * const limiter = createLimiter({ policy, store })
 * await limiter.ready()
 *
 * @example
 * const store = redisStore(new Cluster([{ host: '10.0.0.1', port: 6379 }])) // of ioredis
 */
export function redisStore(redis: RedisClient, options: RedisStoreOptions = {}): Store {
  checkNames(options, '', ['prefix', 'refusalCache', ...guardNames], noSuchOptionHere)
  const prefix = readPrefix(options.prefix)
  const guarding = readGuardOptions(options)
  const { refusalCache = '1s' } = options
  const refusalsUs = durationOrZeroUs(refusalCache, 'refusalCache')
  const { deadlineUs } = guarding
  // A request over REST may take longer than the deadline: a late reply says which units to give back.
  const restMs = Math.max(2000, msUp(deadlineUs), msUp(guarding.connectDeadlineUs))
  const { connect, owned } = readClient(redis, restMs)
  const made = (): Made => {
    const inner = new RedisStore({ connection: connect(), prefix, deadlineUs, refusalsUs })
    return { store: guard(inner, guarding), inner }
  }
  if (owned === undefined) return made().store
  const { processes = 1 } = options
  const value = JSON.stringify({ prefix, refusalsUs, ...guarding, processes: String(processes) })
  const known = stores.get(owned)
  // A closed store would decide without Redis for ever.
  if (known === undefined || known.inner.isClosed) {
    const anew = made()
    stores.set(owned, { ...anew, options: value })
    return anew.store
  }
  if (known.options === value) return known.store
  throw optionError(
    'options',
    'the options of the first redisStore() on this client, as they share one guard',
    options,
  )
}
