import { readFileSync } from 'node:fs'
import type { RedisClient } from '@sluice/core'
import { type Command, Option } from 'commander'
import { UsageError } from '../exit-code.ts'

/** The options by which the command line says where Redis is. */
export interface ConnectionFlags {
  readonly url?: string
  /** The same, as `sluice crowd` calls it. */
  readonly redis?: string
  readonly cluster?: string
  readonly sentinel?: string
  readonly master?: string
  readonly tls?: true
  readonly ca?: string
  readonly prefix?: string
  readonly json?: true
}

export const connectionHelp = `
Redis is found by --url, or by the environment: REDIS_URL, and REDIS_USERNAME and REDIS_PASSWORD, which keep a
password off the command line. The processes must have operations() among the observers of their limiters.

Exit codes: 0 done (lists and limits may be empty), 1 nothing was found, 2 the command line is invalid,
3 Redis does not answer.`

/** Adds the options that find Redis. */
export function addRedis(command: Command): Command {
  return command
    .option('--url <url>', 'where Redis is (default: REDIS_URL)')
    .addOption(new Option('--redis <url>').conflicts('url').hideHelp())
    .option('--cluster <nodes>', 'nodes of a cluster, as host:port,host:port')
    .option('--sentinel <nodes>', 'Sentinels, as host:port,host:port')
    .option('--master <name>', 'the name of the master that the Sentinels watch', 'mymaster')
    .option('--tls', 'speak TLS, also to Sentinels and to nodes of a cluster')
    .option('--ca <file>', 'a file with the certificate to trust')
}

/** Adds the options that find Redis, and what services have written there. */
export function addConnection(command: Command): Command {
  return addRedis(command)
    .option('--prefix <prefix>', 'the prefix that operations() has', '')
    .option('--json', 'print JSON')
}

/** undefined where neither the command line nor the environment says where Redis is. An empty `--url` does say so, and is refused. */
export function redisIfSaid(
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv = process.env,
): RedisClient | undefined {
  const { redis, url = redis ?? (env.REDIS_URL || undefined), cluster, sentinel } = flags
  return (url ?? cluster ?? sentinel) === undefined ? undefined : redisOf(flags, env)
}

export function redisOf(flags: ConnectionFlags, env: NodeJS.ProcessEnv = process.env): RedisClient {
  const access = accessOf(flags, env)
  if (flags.cluster !== undefined) return { cluster: nodesOf(flags.cluster), ...access }
  if (flags.sentinel !== undefined)
    return { sentinels: nodesOf(flags.sentinel), master: flags.master ?? 'mymaster', ...access }
  const url = flags.url ?? flags.redis ?? env.REDIS_URL
  if (url === undefined || url === '') throw new UsageError('--url or REDIS_URL must say where Redis is')
  return { url, ...access }
}

function accessOf({ tls, ca }: ConnectionFlags, { REDIS_USERNAME, REDIS_PASSWORD }: NodeJS.ProcessEnv) {
  return {
    ...(REDIS_USERNAME && { username: REDIS_USERNAME }),
    ...(REDIS_PASSWORD && { password: REDIS_PASSWORD }),
    ...((tls || ca !== undefined) && { tls: ca === undefined ? {} : { ca: certificate(ca) } }),
  }
}

function certificate(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch {
    throw new UsageError(`--ca: the file ${file} cannot be read`)
  }
}

function nodesOf(text: string): string[] {
  return text.split(',').map((node) => node.trim())
}
