import type { Duration, Logger, Observer, RedisClient, Store } from '@sluice/core'
import {
  checkNames,
  durationOrZeroUs,
  durationUs,
  isRecord,
  optionError,
  readLogger,
  wholeNumber,
} from '@sluice/core/internal'
import type { HeaderOptions } from '@sluice/http'
import type { Address } from './address.ts'

/** Where to listen. */
export interface ListenOptions {
  /** @default '127.0.0.1': only this machine */
  host?: string | undefined
  /** 0 takes any that is free. @default 8081 for gRPC, as envoyproxy/ratelimit has it, and 8080 for HTTP */
  port?: number | undefined
}

export interface ServeOptions {
  /** The file of limits; read again when it changes. */
  file: string
  /** Where to count: anything that `redisStore()` takes. @default in this process's memory */
  redis?: RedisClient | undefined
  /** Prefix of every key in Redis, before `sl1:`. @default '' */
  prefix?: string | undefined
  /** A store of your own instead; it is not closed with the server. */
  store?: Store | undefined
  /** The limiter's name, in keys and metrics. @default 'service' */
  name?: string | undefined
  /** A path without any limit: 'allow' lets it pass, 'deny' refuses it. @default 'allow' */
  unmatched?: 'allow' | 'deny' | undefined
  /** Envoy's rate limit protocol; false: not at all. */
  grpc?: ListenOptions | false | undefined
  /** The HTTP API; false: not at all. */
  http?: ListenOptions | false | undefined
  /** How long it goes on after `close()` while its health says that it ends, so that others hear of it. @default 0 */
  drain?: Duration | 0 | undefined
  /** How long requests under way may take after that. @default '5s' */
  grace?: Duration | undefined
  /** Which fields clients are told, as of every middleware; false: none. @default X-RateLimit-*, and Retry-After in a refusal */
  headers?: false | HeaderOptions | undefined
  /** Beside the metrics. */
  observers?: readonly Observer[] | undefined
  /** @default console */
  logger?: Logger | undefined
}

export interface ServeSettings {
  readonly grpc: Address | undefined
  readonly http: Address | undefined
  readonly drainMs: number
  readonly graceMs: number
  readonly headers: false | HeaderOptions | undefined
  readonly logger: Logger
}

const names = [
  'file',
  'redis',
  'prefix',
  'store',
  'name',
  'unmatched',
  'grpc',
  'http',
  'drain',
  'grace',
  'headers',
  'observers',
  'logger',
] as const

export function readServeOptions(options: ServeOptions): ServeSettings {
  checkNames(options, '', names)
  const { file, redis, store, grpc = {}, http = {}, grace = '5s' } = options
  if (typeof file !== 'string' || file === '') throw optionError('file', 'the name of a file of limits', file)
  if (redis !== undefined && store !== undefined)
    throw optionError('store', 'to be left out where redis is given', store)
  if (grpc === false && http === false) throw optionError('http', 'one of grpc and http', http)
  return {
    grpc: readListen(grpc, 'grpc', 8081),
    http: readListen(http, 'http', 8080),
    headers: options.headers,
    drainMs: durationOrZeroUs(options.drain ?? 0, 'drain') / 1000,
    graceMs: durationUs(grace, 'grace') / 1000,
    logger: readLogger(options.logger),
  }
}

function readListen(value: ListenOptions | false, path: string, usual: number): Address | undefined {
  if (value === false) return undefined
  if (!isRecord(value)) throw optionError(path, 'false, or options such as { port: 8080 }', value)
  checkNames(value, path, ['host', 'port'])
  const { host = '127.0.0.1', port = usual } = value as ListenOptions // its names are known
  if (typeof host !== 'string' || host === '') throw optionError(`${path}.host`, 'an address or a name', host)
  return { host, port: wholeNumber(port, `${path}.port`, 0, 65_535) }
}
