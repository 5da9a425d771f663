import type { Decision, Logger } from '@sluice/core'
import { checkNames, observing, optionalFunction, optionError, wholeNumber } from '@sluice/core/internal'

export interface RecorderOptions {
  /**
   * Returns a group in which a decision is counted separately within its policy, such as the client's plan; `''` means none. Of a
   * longer name the first 100 characters are used. Runs on each request. @default the kind of request, where the limiter has `prices`
   *
   * @example series: ({ key }) => plans.get(key) ?? 'free' // hits:tickets:visitor:free
   */
  series?: ((decision: Decision) => string) | undefined
  /**
   * The most groups, over all policies. Decisions in further groups are counted in their policy alone, with a warning. Limiters and
   * policies do not count as groups. @default 1000
   */
  maxSeries?: number | undefined
  /**
   * Keeps requests of some keys one by one, of all limiters or of those named here, so that `sluice compare --recorded` can try other
   * limits on them. Instead of a key it keeps a hash of it, and the sink must store traffic, as those in Redis and in memory do.
   * @default false
   *
   * @example traffic: ['login']
   */
  traffic?: boolean | readonly string[] | undefined
  /** Warned once when something is lost, and again after recording has worked in between. @default console */
  logger?: Logger | undefined
}

/** Options of a recorder, with their defaults. */
export interface RecorderSettings {
  readonly series: ((decision: Decision) => string) | undefined
  readonly maxSeries: number
  /** The limiters whose requests are kept; true: all. */
  readonly traffic: true | readonly string[]
  readonly logger: Logger
}

export function readSettings(sink: unknown, options: RecorderOptions): RecorderSettings {
  if (!isSink(sink)) throw optionError('sink', 'a sink such as memorySink() or redisSink({ redis })', sink)
  checkNames(options, '', ['series', 'maxSeries', 'traffic', 'logger'])
  const { series, maxSeries = 1000 } = options
  optionalFunction(series, 'series')
  return {
    series,
    maxSeries: wholeNumber(maxSeries, 'maxSeries', 1),
    traffic: readTraffic(options.traffic),
    logger: observing.readLogger(options.logger),
  }
}

function readTraffic(traffic: unknown = false): RecorderSettings['traffic'] {
  if (typeof traffic === 'boolean') return traffic || []
  if (Array.isArray(traffic) && traffic.every((name): name is string => typeof name === 'string'))
    return [...traffic]
  throw optionError('traffic', "true, or names of limiters such as ['login']", traffic)
}

function isSink(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'write' in value &&
    typeof value.write === 'function' &&
    'query' in value &&
    typeof value.query === 'function'
  )
}
