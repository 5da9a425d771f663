import { optionError } from '../errors.ts'
import { checkNames } from '../options.ts'
import { type GuardOptions, guard, guardNames, readGuardOptions } from '../resilience/guard.ts'
import type { Store } from '../store.ts'
import type { Connection } from './connection.ts'
import { fromIoredis, type IoredisLike, isIoredis, toUrl } from './ioredis.ts'
import { RedisStore } from './store.ts'

/** A URL (`redis://`, or `rediss://` for TLS), or your own ioredis client. */
export type RedisClient = string | URL | IoredisLike

export interface RedisStoreOptions extends GuardOptions {
  /** Stands before `sl1:` in every key; no braces. @default '' */
  prefix?: string | undefined
}

// One guard per client: one breaker, one fallback, one health.
const stores = new WeakMap<object, { readonly store: Store; readonly options: string }>()

function readPrefix(prefix: unknown): string {
  if (typeof prefix === 'string' && !/[{}]/.test(prefix)) return prefix
  throw optionError('prefix', 'a text without braces', prefix)
}

function readUrl(url: string | URL): string {
  const text = String(url)
  if (/^rediss?:\/\/./.test(text) && URL.canParse(text)) return text
  // The text may hold a password: it is not shown.
  throw optionError('redis', 'a URL such as redis://localhost:6379', '…')
}

/**
 * Counts in Redis, on the server's clock, in one script call for all that is asked. Guarded: no request waits longer than the
 * deadline, and while Redis is away each policy goes on as its `onStoreFailure` says. Closes only a client that it made.
 *
 * @example
 * const store = redisStore('redis://localhost')
 * const limiter = createLimiter({ policy, store })
 * await limiter.ready()
 */
export function redisStore(redis: RedisClient, options: RedisStoreOptions = {}): Store {
  checkNames(options, '', ['prefix', ...guardNames])
  const prefix = readPrefix(options.prefix ?? '')
  const guarding = readGuardOptions(options)
  const made = (connection: Connection) => {
    return guard(new RedisStore({ connection, prefix, deadlineUs: guarding.deadlineUs }), guarding)
  }
  if (typeof redis === 'string' || redis instanceof URL) return made(toUrl(readUrl(redis)))
  if (!isIoredis(redis)) throw optionError('redis', 'a redis:// URL or an ioredis client', redis)
  const value = JSON.stringify({ prefix, ...guarding })
  const known = stores.get(redis)
  if (known === undefined) {
    const store = made(fromIoredis(redis))
    stores.set(redis, { store, options: value })
    return store
  }
  if (known.options === value) return known.store
  throw optionError(
    'options',
    'the options of the first redisStore() on this client, as they share one guard',
    options,
  )
}
