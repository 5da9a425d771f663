import { type Duration, isOptionError } from '@sluice/core'
import { isLimitsError } from '@sluice/limits'
import type { LimitsServer, ListenOptions, ServeOptions } from '@sluice/server'
import { interruption } from '../crowd/interruption.ts'
import { type ExitCode, exitCode, UsageError } from '../exit-code.ts'
import { loadInstalled } from '../installed.ts'
import { type ConnectionFlags, redisIfSaid } from '../live/connection.ts'
import { oneLine } from '../one-line.ts'
import { paint, reportLimitsError } from '../print.ts'

export interface ServeFlags extends ConnectionFlags {
  readonly grpc: string
  readonly http: string
  readonly name: string
  readonly envoyConfig?: string
  readonly shadow?: true
  readonly unmatched: string
  readonly draft?: string
  readonly maxConnectionAge?: string
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly tlsClientCa?: string
  readonly tokenFile?: string
  readonly drain: string
  readonly grace: string
}

/** Serves until Ctrl-C or SIGTERM. */
export async function runServe(file: string | undefined, flags: ServeFlags): Promise<ExitCode> {
  const source = sourceOf(file, flags)
  const options = optionsOf(source, flags)
  const { serveLimits } = await loadServer(options)
  const stop = interruption()
  let server: LimitsServer
  try {
    server = await serveLimits(options)
  } catch (error) {
    stop.forget()
    return exitCodeOf(error)
  }
  for (const line of linesOf(source, server, options)) console.log(line)
  process.on('SIGHUP', sayWatched)
  await stop.came
  stop.forget()
  await server.close()
  process.off('SIGHUP', sayWatched)
  return exitCode.fine
}

/** Loads the server, and ioredis where Redis is named: without it, a service would count in memory and say that it counts in Redis. */
function loadServer({ redis }: ServeOptions): Promise<typeof import('@sluice/server')> {
  if (redis === undefined) return loadInstalled('serve', ['@sluice/server'], () => import('@sluice/server'))
  return loadInstalled('serve', ['@sluice/server', 'ioredis'], async () => {
    await import('ioredis')
    return import('@sluice/server')
  })
}

type Source = { readonly file: string } | { readonly envoyConfig: string }

function sourceOf(file: string | undefined, { envoyConfig }: ServeFlags): Source {
  if (file !== undefined && envoyConfig === undefined) return { file }
  if (file === undefined && envoyConfig !== undefined) return { envoyConfig }
  throw new UsageError('expected either a file of limits or --envoy-config')
}

function optionsOf(source: Source, flags: ServeFlags): ServeOptions {
  const { name, prefix = '', unmatched, draft, shadow = false } = flags
  if (unmatched !== 'allow' && unmatched !== 'deny')
    throw new UsageError(`--unmatched ${unmatched}: expected allow or deny`)
  const redis = redisIfSaid(flags)
  const tls = tlsOf(flags)
  return {
    ...source,
    name,
    shadow,
    unmatched,
    // Durations are read by the server.
    maxConnectionAge: flags.maxConnectionAge as Duration | undefined,
    drain: flags.drain as Duration,
    grace: flags.grace as Duration,
    grpc: addressOf(flags.grpc, '--grpc'),
    http: addressOf(flags.http, '--http'),
    tokenFile: flags.tokenFile,
    tls,
    ...(redis !== undefined && { redis, prefix }),
    ...(draft !== undefined && { headers: { draft: draftOf(draft) } }),
  }
}

function tlsOf({ tlsCert: cert, tlsKey: key, tlsClientCa: clientCa }: ServeFlags): ServeOptions['tls'] {
  if (cert !== undefined && key !== undefined) return { cert, key, clientCa }
  if (cert === undefined && key === undefined && clientCa === undefined) return undefined
  throw new UsageError('expected --tls-cert and --tls-key together')
}

/** Listens to SIGHUP, so that a signal that is meant to reload does not end the process. */
function sayWatched(): void {
  console.error('SIGHUP changes nothing: the file is read whenever it changes')
}

/** `8081`, `0.0.0.0:8081`, `[::1]:8081` or `off`. */
function addressOf(text: string, flag: string): ListenOptions | false {
  if (text === 'off') return false
  const [, bracketed, plain, port] = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(text) ?? []
  if (port === undefined || Number(port) > 65_535)
    throw new UsageError(`${flag} ${text}: expected host:port, a port such as 8081, or off`)
  const host = bracketed ?? plain
  return { port: Number(port), ...(host !== undefined && { host }) }
}

function draftOf(text: string): 6 | 7 | 8 {
  if (text === '6') return 6
  if (text === '7') return 7
  if (text === '8') return 8
  throw new UsageError(`--draft ${text}: expected 6, 7 or 8`)
}

/** Reports why the server could not begin, such as the file's problems or an address that is taken. */
function exitCodeOf(error: unknown): ExitCode {
  if (isOptionError(error)) throw new UsageError(`${error.path}: expected ${error.expected}`)
  if (isLimitsError(error)) return reportLimitsError(error)
  if (!(error instanceof Error)) throw error
  console.error(`error: ${oneLine(error.message)}`)
  return exitCode.problems
}

function linesOf(
  source: Source,
  { grpc, http }: LimitsServer,
  { redis, shadow, tls }: ServeOptions,
): readonly string[] {
  const where = redis === undefined ? "this process's memory" : 'Redis'
  const what = 'file' in source ? source.file : source.envoyConfig
  const lines = [`${paint('bold', oneLine(what))}, counted in ${where}${shadow ? ', refusing nobody' : ''}`]
  if (grpc !== undefined) lines.push(`  gRPC  ${placeOf(grpc)}: envoy.service.ratelimit.v3, grpc.health.v1`)
  const scheme = tls === undefined ? 'http' : 'https'
  if (http !== undefined)
    lines.push(`  HTTP  ${scheme}://${placeOf(http)}: /check /json /auth /healthz /readyz /metrics`)
  return lines
}

const placeOf = ({ host, port }: { readonly host: string; readonly port: number }) =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`
