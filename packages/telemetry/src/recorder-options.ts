import type { Decision, Logger } from '@sluice/core'
import { checkNames, functionOrNothing, optionError, wholeNumber } from '@sluice/core/limiter'
import type { RecorderOptions } from './recorder.ts'

/** Options of a recorder, as it keeps them. */
export interface Settled {
  readonly series: ((decision: Decision) => string) | undefined
  readonly maxSeries: number
  readonly logger: Logger
}

export function settle(sink: unknown, options: RecorderOptions): Settled {
  if (!isSink(sink)) throw optionError('sink', 'a sink such as memorySink() or redisSink({ redis })', sink)
  checkNames(options, '', ['series', 'maxSeries', 'logger'])
  const { series, maxSeries = 1000, logger = console } = options
  functionOrNothing(series, 'series')
  if (typeof logger?.warn !== 'function' || typeof logger.error !== 'function') {
    throw optionError('logger', 'an object with warn() and error()', logger)
  }
  return { series, maxSeries: wholeNumber(maxSeries, 'maxSeries', 1), logger }
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
