import { optionError } from '../errors.ts'
import { checkNames } from '../options.ts'
import type { Connection } from './connection.ts'
import { fromIoredis, isIoredis } from './ioredis.ts'
import { fromNodeRedis, isNodeRedis } from './node-redis.ts'
import { toCluster, toUrl } from './own-client.ts'

/**
 * What a client is made from, which reconnects by itself: one server, or some servers of a cluster, which name the others.
 *
 * @example redisStore({ cluster: ['10.0.0.1:6379', '10.0.0.2:6379'], password: process.env.REDIS_PASSWORD })
 */
export type RedisOptions = (
  | {
      /** `redis://`, or `rediss://` for TLS. */
      readonly url: string | URL
      readonly cluster?: undefined
    }
  | {
      /** Each `host:port` or `redis://host:port`. */
      readonly cluster: readonly string[]
      readonly url?: undefined
    }
) & {
  /** @default the URL's own, else none */
  readonly username?: string | undefined
  /** @default the URL's own, else none */
  readonly password?: string | undefined
}

/** How to reach Redis, and the object that tells one caller's client from another where it is his own. */
export interface Reached {
  readonly connect: () => Connection
  readonly owned: object | undefined
}

const optionNames = ['url', 'cluster', 'username', 'password']
const notYet = ['sentinels', 'master', 'tls']
const expected = 'a redis:// URL, { url }, { cluster: ["host:port"] }, or a client of ioredis or node-redis'

export function readClient(redis: unknown): Reached {
  if (typeof redis === 'string' || redis instanceof URL) {
    const url = readUrl(redis, 'redis')
    return { connect: () => toUrl(url), owned: undefined }
  }
  if (isIoredis(redis)) return { connect: () => fromIoredis(redis), owned: redis }
  if (isNodeRedis(redis)) return { connect: () => fromNodeRedis(redis), owned: redis }
  if (isOptions(redis)) return readOptions(redis)
  throw optionError('redis', expected, redis)
}

type Given = { readonly [name: string]: unknown }

function isOptions(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

function readOptions(options: Given): Reached {
  for (const name of notYet) {
    if (options[name] !== undefined)
      throw optionError(`redis.${name}`, 'nothing, as it is not supported yet', '…')
  }
  checkNames(options, 'redis', optionNames)
  const { url, cluster } = options
  const credentials = {
    username: readText(options.username, 'redis.username'),
    password: readText(options.password, 'redis.password'),
  }
  if (cluster === undefined) {
    const text = readUrl(url, 'redis.url')
    return { connect: () => toUrl(text, credentials), owned: undefined }
  }
  if (url !== undefined) throw optionError('redis.cluster', 'either url or cluster, not both', cluster)
  const nodes = readNodes(cluster)
  return { connect: () => toCluster(nodes, credentials), owned: undefined }
}

function readText(value: unknown, path: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw optionError(path, 'a text', value)
}

function readUrl(url: unknown, path: string): string {
  const text = String(url)
  if (/^rediss?:\/\/./.test(text) && URL.canParse(text)) return text
  // The text may hold a password: it is not shown.
  throw optionError(path, 'a URL such as redis://localhost:6379', typeof url === 'string' ? '…' : url)
}

/** As the URLs that ioredis takes. */
function readNodes(nodes: unknown): readonly string[] {
  if (!Array.isArray(nodes) || nodes.length === 0) {
    throw optionError('redis.cluster', 'a list of servers such as ["localhost:7000"]', nodes)
  }
  return nodes.map((node: unknown, i) => {
    const text = typeof node === 'string' ? `redis://${node.replace(/^redis:\/\//, '')}` : ''
    if (URL.canParse(text)) {
      const { port, username, password, pathname } = new URL(text)
      if (port !== '' && `${username}${password}` === '' && pathname.length < 2) return text
    }
    // As with a URL, it is not shown.
    throw optionError(
      `redis.cluster[${i}]`,
      'host:port, without a name or a password',
      typeof node === 'string' ? '…' : node,
    )
  })
}
