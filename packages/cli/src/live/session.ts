import { isOptionError, isStoreError, type RedisClient } from '@sluice/core'
import type { OperationsReader, RunningProcess } from '@sluice/operations'
import { type ExitCode, exitCode, UsageError } from '../exit-code.ts'
import { loadIoredis } from '../installed.ts'
import { oneLine } from '../one-line.ts'
import { type ConnectionFlags, redisOf } from './connection.ts'

/** The connection and the reader that a command works with. */
export interface Session {
  readonly redis: RedisClient
  readonly reader: OperationsReader
}

/** Opens Redis for a command, and turns its failures into exit codes. */
export async function inSession(
  flags: ConnectionFlags,
  work: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    const redis = redisOf(flags)
    await loadIoredis('Redis')
    const { readOperations } = await import('@sluice/operations')
    const reader = readOperations({ redis, prefix: flags.prefix })
    try {
      return await work({ redis, reader })
    } finally {
      await reader.close()
    }
  } catch (error) {
    if (isOptionError(error)) throw new UsageError(wordsOf(error.path, error.expected))
    if (!isStoreError(error)) throw error
    console.error(awayText(error.message))
    return exitCode.away
  }
}

export function awayText(message: string): string {
  const hint = /\bMOVED\b/.test(message) ? ' (a cluster: write --cluster host:port in place of a URL)' : ''
  return `error: Redis does not answer: ${oneLine(message)}${hint}`
}

/** What an OptionError says, without the value that was given: it may hold a password. */
function wordsOf(path: string, expected: string): string {
  return `${path}: expected ${expected}`
}

export function noProcesses(): ExitCode {
  console.error(
    'No process has written here within the last 15 s. Is operations() among the observers of its limiters, with this Redis, database and prefix? Its health() says what fails.',
  )
  return exitCode.problems
}

export function count(processes: readonly RunningProcess[]): string {
  const services = new Set(processes.map(({ service }) => service))
  const names = [...services].slice(0, 3).map(oneLine).join(', ')
  return `${processes.length} ${processes.length === 1 ? 'process' : 'processes'} of ${names}${services.size > 3 ? ', …' : ''}`
}
