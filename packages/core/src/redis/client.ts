import { optionError, optionErrorOf } from '../errors.ts'
import { checkNames, noSuchOptionHere } from '../options.ts'
import { isMissing } from '../runtime.ts'
import { type Access, lasting, type Place, type Settings } from './access.ts'
import { ioredisNeeded, isGlide, isIoredis, isNodeRedis, lookAlike } from './client-kinds.ts'
import type { Connection } from './connection.ts'
import {
  fromGlide,
  fromIoredis,
  fromNodeRedis,
  fromRest,
  likeIoredis,
  likeNodeRedis,
  toPlace,
} from './connections.ts'
import { isRest, isWeb, notByRest, readRest } from './rest-options.ts'

interface ServerAddresses {
  /** `redis://`, or `rediss://` for TLS. */
  readonly url: string | URL
  /** Some servers of a cluster, each `host:port`; they name the others. */
  readonly cluster: readonly string[]
  /** Some Sentinels, as the servers of a cluster. */
  readonly sentinels: readonly string[]
  /** The name by which the Sentinels know the master. */
  readonly master: string
}

type Only<Name extends keyof ServerAddresses> = Pick<ServerAddresses, Name> & {
  readonly [Other in Exclude<keyof ServerAddresses, Name>]?: undefined
}

/**
 * What a client that reconnects by itself is made from: one server, or some of a cluster, or some Sentinels and their master's name.
 *
 * @example redisStore({ cluster: ['10.0.0.1:6379', '10.0.0.2:6379'], password: process.env.REDIS_PASSWORD })
 *
 * @example redisStore({ sentinels: ['10.0.0.1:26379'], master: 'mymaster', password: () => secrets.redis, tls: {} })
 */
export type RedisOptions = (Only<'url'> | Only<'cluster'> | Only<'sentinels' | 'master'>) & {
  /** The name at the Redis servers; Sentinels are asked without one. @default the URL's own, else none */
  readonly username?: string | undefined
  /**
   * As `username`. A function is asked at each connection; while it throws, its last answer holds. @default the URL's own, else none
   */
  readonly password?: string | (() => string) | undefined
  /**
   * What Node's `tls.connect()` takes, such as `{ ca }`, for every connection, also those to Sentinels. @default `{}` with `rediss://`, else no TLS
   */
  readonly tls?: object | undefined
}

/** How to reach Redis; and the caller's own client, if it is one. */
export interface Reached {
  readonly connect: () => Connection
  /** One more connection, for calls that would hold up others, such as a blocking read. Its caller closes it. */
  readonly connectAgain: (more?: Settings) => Connection
  readonly owned: object | undefined
}

const places = ['url', 'cluster', 'sentinels'] as const
const optionNames = [...places, 'master', 'username', 'password', 'tls']

/** What is taken: with `restMs` also a REST API and a client of GLIDE. */
function expected(restMs: number | undefined): string {
  const [rest, glide] = restMs === undefined ? ['', ''] : [' { url, token },', ', or of Valkey GLIDE 2']
  return `a redis:// URL, { url },${rest} { cluster: ["host:port"] }, { sentinels: ["host:port"], master }, or a client of ioredis 5 or 6 or node-redis 5 or 6${glide}`
}

/**
 * Reads what `redisStore()` takes; anything else is an OptionError. `restMs` is the timeout of a request over REST; without it, a REST
 * API and a client of GLIDE are refused.
 */
export function readClient(redis: unknown, restMs?: number): Reached {
  if (isWeb(redis))
    throw optionError(
      'redis',
      restMs === undefined ? notByRest : '{ url, token } for a REST API',
      typeof redis === 'string' ? '…' : redis,
    )
  if (typeof redis === 'string' || redis instanceof URL)
    return ofIoredis({ url: readUrl(redis, 'redis') }, {})
  if (isIoredis(redis))
    return {
      connect: () => fromIoredis(redis),
      connectAgain: (more) => likeIoredis(redis, more),
      owned: redis,
    }
  if (isNodeRedis(redis))
    return { connect: () => fromNodeRedis(redis), connectAgain: () => likeNodeRedis(redis), owned: redis }
  if (isGlide(redis)) {
    if (restMs === undefined) throw optionError('redis', notByGlide, redis)
    return { connect: () => fromGlide(redis), connectAgain: () => fromGlide(redis), owned: redis }
  }
  const other = lookAlike(redis)
  if (other !== undefined) throw optionErrorOf('redis', expected(restMs), other)
  if (isOptions(redis)) {
    if (!isRest(redis)) return readOptions(redis)
    const place = readRest(redis, restMs)
    return made(() => fromRest(place))
  }
  throw optionError('redis', expected(restMs), redis)
}

const notByGlide = 'a URL, or a client of ioredis or node-redis: only redisStore() takes one of Valkey GLIDE'

/** Reached by a client of our own, a new one for each connection. */
function made(connect: (more?: Settings) => Connection): Reached {
  return { connect, connectAgain: connect, owned: undefined }
}

function ofIoredis(place: Place, access: Access): Reached {
  // Where no client can be made for certain. In a bundle only the attempt shows that: then `ready()` rejects.
  if (isMissing('ioredis')) throw optionErrorOf('redis', ioredisNeeded, 'no such package')
  return made((more) => toPlace(place, access, more))
}

type GivenClient = { readonly [name: string]: unknown }

function isOptions(value: unknown): value is GivenClient {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

function readOptions(options: GivenClient): Reached {
  checkNames(options, 'redis', optionNames, noSuchOptionHere)
  const access = readAccess(options)
  switch (readPlace(options)) {
    case 'url':
      return ofIoredis({ url: readUrl(options.url, 'redis.url') }, access)
    case 'cluster': {
      const cluster = readNodes(options.cluster, 'redis.cluster', 'localhost:7000')
      return ofIoredis({ cluster }, access)
    }
    case 'sentinels': {
      const sentinels = readNodes(options.sentinels, 'redis.sentinels', 'localhost:26379')
      return ofIoredis({ sentinels, master: readMaster(options.master) }, access)
    }
  }
}

/** Which place is named; if none is, `url`, which is then reported as missing. */
function readPlace(options: GivenClient): (typeof places)[number] {
  const [place = 'url', second] = places.filter((name) => options[name] !== undefined)
  if (second !== undefined)
    throw optionError(`redis.${second}`, 'only one of url, cluster and sentinels', options[second])
  if (place === 'sentinels' || options.master === undefined) return place
  throw optionError('redis.master', 'nothing without sentinels', options.master)
}

function readMaster(master: unknown): string {
  if (typeof master === 'string' && master !== '') return master
  throw optionError('redis.master', 'the name of a master such as "mymaster"', master)
}

function readAccess({ username, password, tls }: GivenClient): Access {
  if (username !== undefined && typeof username !== 'string')
    throw optionError('redis.username', 'a string', username)
  if (tls !== undefined && (typeof tls !== 'object' || tls === null || Array.isArray(tls)))
    throw optionError('redis.tls', 'an object of options for tls.connect()', tls)
  return { username, password: readPassword(password), tls }
}

function readPassword(password: unknown): Access['password'] {
  if (password === undefined) return undefined
  if (typeof password === 'string') return () => password
  // What the function returns is known only when it is called.
  if (typeof password === 'function') return lasting(password as () => string)
  throw optionError('redis.password', 'a string or a function that returns one', password)
}

function readUrl(url: unknown, path: string): string {
  const text = typeof url === 'string' ? url : url instanceof URL ? url.href : ''
  // The text may hold a password: it is not shown.
  const shown = typeof url === 'string' && url !== '' ? '…' : url
  // Behind the server's name an `@` or `#` can only be of a password, whose beginning would be taken for that name.
  if (!/^rediss?:\/\/(?=.)[^/?#]*([/?][^@#]*)?$/.test(text) || !URL.canParse(text) || !isEscaped(text)) {
    const escaped = /^rediss?:/.test(text) ? ', with %23 %2F %3F %25 for # / ? % in a password' : ''
    throw optionError(path, `a URL such as redis://localhost:6379${escaped}`, shown)
  }
  const { pathname, searchParams } = new URL(text)
  // A client would send any text to the server, whose error would end the process.
  if (!/^\/?\d*$/.test(pathname) || !/^\d+$/.test(searchParams.get('db') ?? '0'))
    throw optionError(
      path,
      'the number of a database behind the server, as in redis://localhost:6379/2',
      shown,
    )
  return text
}

/** Whether each percent sign begins a character. */
function isEscaped(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** The servers as URLs that ioredis takes. */
function readNodes(nodes: unknown, path: string, example: string): readonly string[] {
  if (!Array.isArray(nodes) || nodes.length === 0)
    throw optionError(path, `a list of servers such as ["${example}"]`, nodes)
  return nodes.map((node: unknown, i) => {
    const text = typeof node === 'string' ? `redis://${node.replace(/^redis:\/\//, '')}` : ''
    if (URL.canParse(text)) {
      const { port, username, password, pathname } = new URL(text)
      if (port !== '' && `${username}${password}` === '' && pathname.length < 2) return text
    }
    // As with a URL, it is not shown.
    const shown = typeof node === 'string' ? '…' : node
    throw optionError(`${path}[${i}]`, `a text such as "${example}", without a name or a password`, shown)
  })
}
