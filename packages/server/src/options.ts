import type { Duration, Logger, Observer, RedisClient, Store } from '@sluice/core'
import {
  booleanOption,
  checkNames,
  durationOrZeroUs,
  durationUs,
  isRecord,
  limiters,
  observing,
  optionError,
  wholeNumber,
} from '@sluice/core/internal'
import type { HeaderOptions } from '@sluice/http'
import { checkShared } from '@sluice/http/internal'
import { envoyConfig as envoyConfigSource, type LimitsSource } from '@sluice/limits'
import type { Address } from './address.ts'
import type { TlsOptions } from './secrets/tls.ts'

/** Where to listen. */
export interface ListenOptions {
  /** @default '127.0.0.1': only this machine */
  host?: string | undefined
  /** 0 takes any free port. @default 8081 for gRPC, as envoyproxy/ratelimit has it, and 8080 for HTTP */
  port?: number | undefined
}

export interface ServeOptions {
  /** The file of limits; read again when it changes. */
  file?: string | undefined
  /** In place of `file`, the configuration of envoyproxy/ratelimit: a file, or a folder of YAML files. */
  envoyConfig?: string | undefined
  /** Nobody is refused: over gRPC each descriptor has its status as ever, and the whole is OK. @default false */
  shadow?: boolean | undefined
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
  /**
   * How old a connection over gRPC may become; then its client is asked to connect anew, and requests under way have `grace`. So
   * clients that keep one connection find services that were added. @default none
   */
  maxConnectionAge?: Duration | undefined
  /** TLS for gRPC and HTTP. @default none */
  tls?: TlsOptions | undefined
  /**
   * A file with the token that clients of `/check`, `/json` and `/auth` have to send, as `Authorization: Bearer …`; read again when it
   * changes. @default none
   */
  tokenFile?: string | undefined
  /** How long the server goes on after `close()` while its health says that it ends, so that load balancers learn of it. @default 0 */
  drain?: Duration | 0 | undefined
  /** How long requests under way may take after that. @default '5s' */
  grace?: Duration | undefined
  /** Which fields clients get, as in every middleware; false: none. @default X-RateLimit-*, and Retry-After in a refusal */
  headers?: false | HeaderOptions | undefined
  /** Observers beside the metrics. */
  observers?: readonly Observer[] | undefined
  /** @default console */
  logger?: Logger | undefined
}

export interface ServeSettings {
  readonly source: LimitsFrom
  readonly shadow: boolean
  readonly grpc: Address | undefined
  readonly http: Address | undefined
  readonly drainMs: number
  readonly graceMs: number
  /** undefined: a connection may become as old as it likes. */
  readonly connectionAgeMs: number | undefined
  readonly headers: false | HeaderOptions | undefined
  readonly observers: readonly Observer[]
  readonly logger: Logger
}

/** Where the limits are, for `loadLimits`. */
type LimitsFrom = { readonly file: string } | { readonly from: LimitsSource }

const names = [
  'file',
  'envoyConfig',
  'shadow',
  'redis',
  'prefix',
  'store',
  'name',
  'unmatched',
  'grpc',
  'http',
  'drain',
  'grace',
  'maxConnectionAge',
  'tls',
  'tokenFile',
  'headers',
  'observers',
  'logger',
] as const

export function readServeOptions(options: ServeOptions): ServeSettings {
  checkNames(options, '', names)
  const { redis, store, grpc = {}, http = {}, grace = '5s', drain = 0, shadow = false } = options
  if (redis !== undefined && store !== undefined)
    throw optionError('store', 'to be left out where redis is given', store)
  if (redis === undefined && options.prefix !== undefined)
    throw optionError('prefix', 'to be left out where redis is not given', options.prefix)
  checkShared({ headers: options.headers }, []) // as for a middleware, and not with the first request
  const { maxConnectionAge } = options
  const observers = observing.readObservers(options.observers)
  const logger = observing.readLogger(options.logger)
  limiters.warnOfShortTimes(new observing.Reports(observers, logger), { drain, grace, maxConnectionAge })
  if (grpc === false && http === false)
    throw optionError('http', 'a place to listen, as grpc is off too', http)
  return {
    source: readSource(options),
    shadow: booleanOption(shadow, 'shadow'),
    grpc: readListen(grpc, 'grpc', 8081),
    http: readListen(http, 'http', 8080),
    headers: options.headers,
    drainMs: durationOrZeroUs(drain, 'drain') / 1000,
    graceMs: durationUs(grace, 'grace') / 1000,
    connectionAgeMs:
      maxConnectionAge === undefined ? undefined : durationUs(maxConnectionAge, 'maxConnectionAge') / 1000,
    observers,
    logger,
  }
}

function readSource({ file, envoyConfig }: ServeOptions): LimitsFrom {
  if (envoyConfig === undefined) return { file: readFileName(file, 'file', 'the name of a file of limits') }
  if (file !== undefined) throw optionError('file', 'to be left out where envoyConfig is given', file)
  const name = readFileName(
    envoyConfig,
    'envoyConfig',
    'the name of a file or folder of envoyproxy/ratelimit',
  )
  return { from: envoyConfigSource(name) }
}

function readFileName(value: unknown, path: string, expected: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw optionError(path, expected, value)
}

function readListen(value: ListenOptions | false, path: string, usual: number): Address | undefined {
  if (value === false) return undefined
  if (!isRecord(value)) throw optionError(path, 'false, or options such as { port: 8080 }', value)
  checkNames(value, path, ['host', 'port'])
  const { host = '127.0.0.1', port = usual } = value as ListenOptions // its names are known
  if (typeof host !== 'string' || host === '') throw optionError(`${path}.host`, 'an address or a name', host)
  return { host, port: wholeNumber(port, `${path}.port`, 0, 65_535) }
}
