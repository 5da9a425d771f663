import type { Clock, Duration } from '@sluice/core'
import {
  checkNames,
  durationUs,
  limiters,
  monotonicClock,
  oneOf,
  optionalFunction,
  optionError,
  wholeNumber,
} from '@sluice/core/internal'
import { Aimd } from './aimd.ts'
import type { Algorithm } from './algorithm.ts'
import { Gradient } from './gradient.ts'

/** A change of a limit. */
export interface LimitChange {
  readonly limit: number
  readonly before: number
  /** The mean latency of the window that has changed it; null where nothing was answered in it. */
  readonly latencyMs: number | null
  /** The latency that `'gradient'` compares with; null where there is none. */
  readonly unloadedMs: number | null
  readonly inFlight: number
}

interface Common {
  /** The fewest places. @default 5, or `max` where that is less */
  min?: number | undefined
  /** The most places, whatever latency says: the hard bound. @default 200, as in Netflix's concurrency-limits */
  max?: number | undefined
  /** The places at the beginning. @default 20, as in Netflix's concurrency-limits, within `min` and `max` */
  initial?: number | undefined
  /**
   * How long a window measures at least. @default '100ms': a tenth of what Netflix's concurrency-limits takes, to follow a step in
   * seconds
   */
  window?: Duration | undefined
  /** How many samples a window has at least. @default 10, as in Netflix's concurrency-limits */
  samples?: number | undefined
  /** A place that is held for so long is taken back, and counts as dropped: this bounds places that are never given back. @default '30s' */
  hold?: Duration | undefined
  /** Called when the limit has changed; errors that it throws are ignored. */
  onChange?: ((change: LimitChange) => void) | undefined
  /** @default the real time, or that of fake timers */
  clock?: Clock | undefined
}

export interface GradientOptions extends Common {
  /** Follows the ratio of the latency without a queue to the latency now. Needs no number of your service's. @default 'gradient' */
  algorithm?: 'gradient' | undefined
  /** The latency, as a multiple of that without a queue, from which the limit shrinks. @default 1.5, as in Netflix's Gradient2Limit */
  tolerance?: number | undefined
  /** Places by which the limit may grow beyond what the gradient says. @default 4, as in Netflix's Gradient2Limit */
  queue?: number | undefined
  /** How much of a step is made at once, from 0 to 1. @default 0.2, as in Netflix's Gradient2Limit */
  smoothing?: number | undefined
  /** Every so many windows one is measured at half the limit. @default 20: it costs a fortieth of the throughput at most */
  probeEvery?: number | undefined
}

export interface AimdOptions extends Common {
  /** Grows place by place while latency is within `timeout`, and shrinks by a factor when it is not. */
  algorithm: 'aimd'
  /**
   * A window that is slower on average makes the limit smaller: about half of the time that your callers wait. @default '5s', as in
   * Netflix's AIMDLimit
   */
  timeout?: Duration | undefined
  /** The factor of a decrease, from 0.5 to below 1. @default 0.9, as in Netflix's AIMDLimit */
  backoff?: number | undefined
  /** Places by which a window in time makes the limit larger. @default 1, as in Netflix's AIMDLimit */
  increase?: number | undefined
}

export type AdaptiveLimitOptions = GradientOptions | AimdOptions

export interface LimitSettings {
  readonly min: number
  readonly max: number
  readonly initial: number
  readonly windowUs: number
  readonly samples: number
  readonly holdUs: number
  readonly algorithm: Algorithm
  readonly clock: Clock
  readonly onChange: ((change: LimitChange) => void) | undefined
}

const common = ['algorithm', 'min', 'max', 'initial', 'window', 'samples', 'hold', 'onChange', 'clock']
const names = {
  gradient: [...common, 'tolerance', 'queue', 'smoothing', 'probeEvery'],
  aimd: [...common, 'timeout', 'backoff', 'increase'],
}
/** The most places. More than a process has sockets for would bound nothing. */
const mostPlaces = 100_000

export function readLimitOptions(options: AdaptiveLimitOptions): LimitSettings {
  checkNames(options, '', [...new Set([...names.gradient, ...names.aimd])])
  const { algorithm: asked = 'gradient' } = options
  const algorithm = oneOf(asked, 'algorithm', ['gradient', 'aimd'])
  checkNames(options, '', names[algorithm])
  const { max = 200, window = '100ms', samples = 10, hold = '30s', clock = monotonicClock } = options
  wholeNumber(max, 'max', 1, mostPlaces)
  const { min = Math.min(5, max) } = options
  wholeNumber(min, 'min', 1, mostPlaces)
  wholeNumber(max, 'max', min, mostPlaces)
  const { initial = Math.min(Math.max(20, min), max), onChange } = options
  optionalFunction(onChange, 'onChange')
  limiters.warnOfShortTimes(undefined, { hold })
  if (typeof clock?.nowUs !== 'function') throw optionError('clock', 'a clock with nowUs()', clock)
  return {
    min,
    max,
    initial: wholeNumber(initial, 'initial', min, max),
    windowUs: durationUs(window, 'window'),
    samples: wholeNumber(samples, 'samples', 1),
    holdUs: durationUs(hold, 'hold'),
    algorithm: options.algorithm === 'aimd' ? aimdOf(options) : gradientOf(options, min),
    clock,
    onChange,
  }
}

function gradientOf(options: GradientOptions, min: number): Gradient {
  const { tolerance = 1.5, queue = 4, smoothing = 0.2, probeEvery = 20 } = options
  return new Gradient({
    tolerance: numberWithin(tolerance, 'tolerance', [1, 10]),
    queue: wholeNumber(queue, 'queue', 1, mostPlaces),
    smoothing: numberWithin(smoothing, 'smoothing', [0.01, 1]),
    probeEvery: wholeNumber(probeEvery, 'probeEvery', 2),
    min,
  })
}

function aimdOf({ timeout = '5s', backoff = 0.9, increase = 1 }: AimdOptions): Aimd {
  limiters.warnOfShortTimes(undefined, { timeout })
  return new Aimd({
    timeoutUs: durationUs(timeout, 'timeout'),
    backoff: numberWithin(backoff, 'backoff', [0.5, 0.99]),
    increase: wholeNumber(increase, 'increase', 1, mostPlaces),
  })
}

function numberWithin(value: unknown, path: string, [least, most]: readonly [number, number]): number {
  if (typeof value === 'number' && value >= least && value <= most) return value
  throw optionError(path, `a number from ${least} to ${most}`, value)
}
