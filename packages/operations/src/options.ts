import { hostname } from 'node:os'
import type { Duration, Logger, RedisClient } from '@sluice/core'
import { checkNames, durationUs, inRedis, msUp, observing, optionError } from '@sluice/core/internal'

export interface OperationsOptions {
  /**
   * The Redis in which the limiters count: anything that `redisStore()` takes, except a REST API and a client of GLIDE. A client of your
   * own is duplicated.
   */
  redis: RedisClient
  /** Prefix of every key that is written here, before `sl1:{ops}`; no braces. The command line takes the same as `--prefix`. @default '' */
  prefix?: string | undefined
  /** The name of this process where several services share a Redis; 1 to 100 characters. @default the name of the machine */
  service?: string | undefined
  /** How long a call, such as `lists.put`, waits for Redis; no request waits for it. @default '2s' */
  deadline?: Duration | undefined
  /** Hears if the first write to Redis fails. @default console */
  logger?: Logger | undefined
}

export interface OperationsSettings {
  readonly redis: RedisClient
  readonly prefix: string
  readonly service: string
  readonly deadlineMs: number
  readonly logger: Logger
}

export function readSettings(options: OperationsOptions): OperationsSettings {
  checkNames(options, '', ['redis', 'prefix', 'service', 'deadline', 'logger'])
  const { redis, service = hostname().slice(0, 100) || 'service', deadline = '2s' } = options
  if (typeof service !== 'string' || service === '' || service.length > 100)
    throw optionError('service', 'a name of 1 to 100 characters', service)
  const deadlineMs = msUp(durationUs(deadline, 'deadline'))
  const logger = observing.readLogger(options.logger)
  return { redis, prefix: inRedis.readPrefix(options.prefix), service, deadlineMs, logger }
}
