import { optionError } from '../errors.ts'
import { checkNames } from '../options.ts'
import { lasting } from './access.ts'

/**
 * A front that speaks the REST protocol of Upstash, for runtimes that open no connections, such as workers of Cloudflare. It is asked
 * by `fetch`, and needs no client.
 *
 * @example redisStore({ url: env.UPSTASH_REDIS_REST_URL, token: env.UPSTASH_REDIS_REST_TOKEN })
 */
export interface RestOptions {
  /** `https://`; on this machine also `http://`. */
  readonly url: string | URL
  /** As the front gives it. A function is asked at each request; while it throws, its last answer holds. */
  readonly token: string | (() => string)
}

/** A front that speaks the REST protocol, and how to be let in. */
export interface RestPlace {
  /** Without a slash at its end. */
  readonly url: string
  /** Asked at each request; never throws. */
  readonly token: () => string | undefined
  /** The timeout of a request. */
  readonly longestMs: number
}

type RestGiven = { readonly [name: string]: unknown }

export const notByRest =
  'a connection to Redis itself, such as redis://localhost:6379: over REST only redisStore() can ask'

export function isRest(given: RestGiven): boolean {
  return 'token' in given || isWeb(given.url)
}

export function isWeb(url: unknown): boolean {
  return /^https?:/i.test(url instanceof URL ? url.protocol : typeof url === 'string' ? url : '')
}

/** `longestMs`: the timeout of a request; undefined where no REST API can serve. */
export function readRest(options: RestGiven, longestMs: number | undefined): RestPlace {
  if (longestMs === undefined) throw optionError('redis', notByRest, options)
  checkNames(options, 'redis', ['url', 'token'])
  return { url: readRestUrl(options.url), token: readToken(options.token), longestMs }
}

function readRestUrl(url: unknown): string {
  const text = url instanceof URL ? url.href : typeof url === 'string' ? url : ''
  if (isWeb(text) && URL.canParse(text)) {
    const { protocol, hostname, origin, pathname, search, hash, username, password } = new URL(text)
    const isPrivate = protocol === 'https:' || isThisMachine(hostname)
    if (isPrivate && `${search}${hash}${username}${password}` === '')
      return origin + pathname.replace(/\/+$/, '')
  }
  // The text may hold a token: it is not shown.
  throw optionError('redis.url', expectedUrl, typeof url === 'string' ? '…' : url)
}

const expectedUrl =
  'the https:// URL of a REST API, without a name, a password or a query (http:// on this machine only)'

/** Whether the name means the machine that asks. */
function isThisMachine(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

function readToken(token: unknown): RestPlace['token'] {
  if (isToken(token)) return () => token
  // What the function returns is known only when it is called.
  if (typeof token === 'function') return lasting(token as () => string)
  throw optionError(
    'redis.token',
    'the token of the REST API, in visible ASCII characters, or a function that returns it',
    typeof token === 'string' ? '…' : token,
  )
}

/** Whether a header can hold it. */
export function isToken(token: unknown): token is string {
  return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)
}
