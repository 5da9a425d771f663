import type { Duration } from '@sluice/core'
import {
  checkNames,
  durationUs,
  isRecord,
  limiters,
  optionalFunction,
  optionError,
} from '@sluice/core/internal'
import { type AdaptiveLimit, adaptiveLimit } from './adaptive-limit.ts'
import { type LoopDelay, TimedLoopDelay } from './loop-delay.ts'
import type { Priority, Shed } from './shed.ts'

/** The delays above which requests of a priority are refused; that of a more important priority is never shorter. */
export interface Thresholds {
  sheddable?: Duration | undefined
  default?: Duration | undefined
  critical?: Duration | undefined
}

export interface QueueingOptions extends Thresholds {
  /**
   * The header in which your proxy writes when it got the request, such as `'X-Request-Start'`: seconds, milliseconds or microseconds
   * since 1970. Let the proxy overwrite it, and keep both clocks in step.
   */
  header: string
}

export interface SheddingOptions {
  /** The name under which metrics show it. @default 'default' */
  name?: string | undefined
  /** The limit whose places requests take; several sheddings may share one. @default adaptiveLimit() */
  limit?: AdaptiveLimit | undefined
  /**
   * The share of the limit that sheddable requests may fill, from 0 to 1; default ones fill all of it, critical ones up to `max`.
   * @default 0.8
   */
  sheddableShare?: number | undefined
  /** Refuses by how late the event loop is; false: not at all. @default { sheddable: '50ms', default: '100ms', critical: '500ms' } */
  eventLoopDelay?: Thresholds | false | undefined
  /**
   * Refuses by how long a request has waited before it came here: off unless a header is named. @default of its times { sheddable:
   * '200ms', default: '1s', critical: '5s' }
   */
  queueing?: QueueingOptions | undefined
  /** `Retry-After` is drawn between the two, so that clients do not come back all at once. @default ['1s', '5s'] */
  retryAfter?: readonly [Duration, Duration] | undefined
  /** Called for each request that is refused; errors that it throws are ignored. */
  onShed?: ((shed: Shed) => void) | undefined
  /** What measures the event loop. @default the lateness of a timer */
  loopDelay?: LoopDelay | undefined
  /** Returns a number from 0 to below 1. @default Math.random */
  random?: (() => number) | undefined
  /** The wall clock, for `queueing`: milliseconds since 1970. @default Date.now */
  nowMs?: (() => number) | undefined
}

type Times = Readonly<Record<Priority, number>>

export interface SheddingSettings {
  readonly name: string
  readonly limit: AdaptiveLimit
  readonly sheddableShare: number
  readonly loopDelay: LoopDelay
  /** In milliseconds. */
  readonly eventLoopDelay: Times | undefined
  readonly queueing: { readonly header: string; readonly times: Times } | undefined
  readonly retryAfterMs: readonly [number, number]
  readonly onShed: ((shed: Shed) => void) | undefined
  readonly random: () => number
  readonly nowMs: () => number
}

const names = [
  'name',
  'limit',
  'sheddableShare',
  'eventLoopDelay',
  'queueing',
  'retryAfter',
  'onShed',
  'loopDelay',
  'random',
  'nowMs',
]
const priorities: readonly Priority[] = ['sheddable', 'default', 'critical']
const loopTimes: Times = { sheddable: 50, default: 100, critical: 500 }
const queueTimes: Times = { sheddable: 200, default: 1000, critical: 5000 }
/** RFC 9110, 5.6.2. */
const fieldName = /^[\w!#$%&'*+.^`|~-]+$/

export function readSheddingOptions(options: SheddingOptions): SheddingSettings {
  checkNames(options, '', names)
  const { limit = adaptiveLimit(), sheddableShare = 0.8, eventLoopDelay = loopTimes, queueing } = options
  const { loopDelay = new TimedLoopDelay(), random = Math.random, nowMs = Date.now, onShed } = options
  // `instanceof` fails between two copies of this package.
  if (typeof limit?.acquireUpTo !== 'function')
    throw optionError('limit', 'a limit of adaptiveLimit()', limit)
  const { name = 'default' } = options
  if (typeof name !== 'string' || name === '') throw optionError('name', 'a name such as "api"', name)
  if (typeof sheddableShare !== 'number' || !(sheddableShare >= 0 && sheddableShare <= 1))
    throw optionError('sheddableShare', 'a number from 0 to 1', sheddableShare)
  if (typeof loopDelay?.close !== 'function')
    throw optionError('loopDelay', 'an object with delayMs and close()', loopDelay)
  optionalFunction(onShed, 'onShed')
  optionalFunction(random, 'random')
  optionalFunction(nowMs, 'nowMs')
  return {
    name,
    limit,
    sheddableShare,
    loopDelay,
    eventLoopDelay:
      eventLoopDelay === false ? undefined : readTimes(eventLoopDelay, 'eventLoopDelay', loopTimes),
    queueing: queueing === undefined ? undefined : readQueueing(queueing),
    retryAfterMs: readRetryAfter(options.retryAfter),
    onShed,
    random,
    nowMs,
  }
}

function readQueueing(queueing: QueueingOptions): { header: string; times: Times } {
  if (!isRecord(queueing))
    throw optionError('queueing', 'options such as { header: "X-Request-Start" }', queueing)
  const { header, ...times } = queueing
  if (typeof header !== 'string' || !fieldName.test(header))
    throw optionError('queueing.header', 'the name of a header such as "X-Request-Start"', header)
  return { header: header.toLowerCase(), times: readTimes(times, 'queueing', queueTimes) }
}

function readTimes(given: Thresholds, path: string, defaults: Times): Times {
  checkNames(given, path, priorities)
  const times = { ...defaults }
  let least = 0
  for (const priority of priorities) {
    const value = given[priority]
    const at = `${path}.${priority}`
    if (value !== undefined) times[priority] = durationUs(value, at) / 1000
    if (times[priority] < least)
      throw optionError(
        at,
        `at least what a less important priority has, ${least} ms`,
        value ?? times[priority],
      )
    least = times[priority]
  }
  return times
}

function readRetryAfter(given: unknown = ['1s', '5s']): readonly [number, number] {
  const [from, to, ...more]: readonly unknown[] = Array.isArray(given) ? given : []
  if (from === undefined || to === undefined || more.length > 0)
    throw optionError('retryAfter', 'two durations such as ["1s", "5s"], the shorter one first', given)
  const times = [durationUs(from, 'retryAfter[0]') / 1000, durationUs(to, 'retryAfter[1]') / 1000] as const
  if (times[0] > times[1])
    throw optionError('retryAfter', 'two durations such as ["1s", "5s"], the shorter one first', given)
  limiters.warnOfShortTimes(undefined, { 'retryAfter[1]': to })
  return times
}
