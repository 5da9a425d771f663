import type { Duration, RedisClient } from '@sluice/core'
import { checkNames, durationUs, inRedis, msUp, optionError, storeError } from '@sluice/core/internal'
import { HashSink } from './hash-sink.ts'
import { RecordingServer } from './recording-server.ts'
import { RedisEvents } from './redis-events.ts'
import {
  maxEvents,
  maxTraffic,
  type Points,
  type RecordedEvent,
  type Sample,
  type Sink,
  type SinkQuery,
} from './sink.ts'
import { TimeSeriesSink } from './time-series-sink.ts'

export interface RedisSinkOptions {
  /**
   * Anything that `redisStore()` takes, except a REST API and a client of GLIDE. A client of your own is duplicated; the duplicate is
   * closed with the sink.
   */
  redis: RedisClient
  /** How long a second is kept: at least a minute. @default '1d' */
  retention?: Duration | undefined
  /** Prefix of every key, before `sl1:`; no braces. @default '' */
  prefix?: string | undefined
  /** How long a recording or a query waits for Redis; no request waits for it. @default '2s' */
  deadline?: Duration | undefined
}

/** Chooses the sink by the server's modules, when it is first used. */
class RedisSink implements Sink {
  readonly name = 'redis'
  readonly #server: RecordingServer
  readonly #retentionMs: number
  readonly #insists: boolean
  readonly #events: RedisEvents
  readonly #traffic: RedisEvents
  #chosen: Promise<Sink> | undefined

  constructor(options: RedisSinkOptions, insists: boolean) {
    checkNames(options, '', ['redis', 'retention', 'prefix', 'deadline'])
    const { redis, deadline = '2s' } = options
    this.#retentionMs = readRetention(options.retention)
    this.#insists = insists
    this.#server = new RecordingServer({
      redis,
      prefix: inRedis.readPrefix(options.prefix),
      deadlineMs: msUp(durationUs(deadline, 'deadline')),
    })
    const retentionMs = this.#retentionMs
    this.#events = new RedisEvents(this.#server, { name: 'events', most: maxEvents, retentionMs })
    this.#traffic = new RedisEvents(this.#server, { name: 'traffic', most: maxTraffic, retentionMs })
  }

  async nowMs(): Promise<number> {
    await this.#sink()
    return this.#server.nowMs()
  }

  async write(batch: readonly Sample[]): Promise<void> {
    const sink = await this.#sink()
    try {
      await sink.write(batch)
    } catch (error) {
      // The address now leads to a server without the module.
      if (isUnknownCommand(error)) this.#chosen = undefined
      throw error
    }
  }

  async query(query: SinkQuery): Promise<readonly Points[]> {
    return (await this.#sink()).query(query)
  }

  addEvents(events: readonly RecordedEvent[]): Promise<void> {
    return this.#events.add(events)
  }

  events(fromMs: number): Promise<readonly RecordedEvent[]> {
    return this.#events.read(fromMs)
  }

  addTraffic(pieces: readonly RecordedEvent[]): Promise<void> {
    return this.#traffic.add(pieces)
  }

  traffic(fromMs: number): Promise<readonly RecordedEvent[]> {
    return this.#traffic.read(fromMs)
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  /** Chooses once, and again after a failure. */
  #sink(): Promise<Sink> {
    this.#chosen ??= this.#choose().catch((error: unknown) => {
      this.#chosen = undefined
      throw error
    })
    return this.#chosen
  }

  async #choose(): Promise<Sink> {
    if (await hasTimeSeries(this.#server)) return new TimeSeriesSink(this.#server, this.#retentionMs)
    if (!this.#insists) return new HashSink(this.#server, this.#retentionMs)
    throw storeError('redis', 'the server has no module TimeSeries; redisSink() needs none')
  }
}

/** Asks by TS.GET too: where COMMAND is forbidden or has another name, the module may still be used. */
async function hasTimeSeries(server: RecordingServer): Promise<boolean> {
  const key = server.key('ts:')
  try {
    const info = await server.send('COMMAND', ['INFO', 'ts.add'], key)
    if (Array.isArray(info)) return info[0] !== null && info[0] !== undefined
  } catch (error) {
    if (!isUnknownCommand(error) && !inRedis.isForbidden(error)) throw error
  }
  try {
    await server.send('TS.GET', [key], key)
    return true
  } catch (error) {
    if (isUnknownCommand(error) || inRedis.isForbidden(error)) return false
    if (error instanceof Error && error.message.includes('TSDB')) return true
    throw error
  }
}

function isUnknownCommand(error: unknown): boolean {
  return error instanceof Error && error.message.includes('unknown command')
}

function readRetention(retention: unknown = '1d'): number {
  const ms = msUp(durationUs(retention, 'retention'))
  if (ms >= 60_000) return ms
  throw optionError('retention', 'at least "1m"', retention)
}

/**
 * Keeps counts in Redis, for all processes: in TimeSeries if the module is loaded, otherwise in hashes that expire. The
 * server is asked once. Requests are not delayed: the sink has its own connection.
 *
 * @example
 * const seen = recorder(redisSink({ redis: 'redis://localhost', retention: '7d' }))
 */
export function redisSink(options: RedisSinkOptions): Sink {
  return new RedisSink(options, false)
}

/**
 * As `redisSink`, but only in TimeSeries: for charts by other tools. Without the module nothing is recorded, and
 * queries reject with a StoreError.
 */
export function timeSeriesSink(options: RedisSinkOptions): Sink {
  return new RedisSink(options, true)
}
