import type { Clock, Duration, Logger, Observer } from '@sluice/core'
import { checkNames, durationUs, msUp, observing, optionError, wholeNumber } from '@sluice/core/internal'
import { ofProcessors, readClock } from './options.ts'

export interface ProcessorOptions {
  /** The most entries that run at once. @default 1 */
  concurrency?: number | undefined
  /** The most entries taken by one call. @default concurrency */
  batch?: number | undefined
  /** The minimum time between two starts in this processor; the total rate grows with the number of processors. @default none */
  minInterval?: Duration | undefined
  /**
   * After this time without a renewal another processor takes the entry: how soon a dead processor is noticed, not how
   * long work may take. At least a second, and the same in all processors of a queue. @default '30s'
   */
  idleClaim?: Duration | undefined
  /** How often an entry is handed out before it counts as failed; the same in all processors of a queue. @default 3 */
  maxAttempts?: number | undefined
  /** Observers that are notified when the queue stops answering, and when it answers again. */
  observers?: readonly Observer[] | undefined
  /** @default console */
  logger?: Logger | undefined
  /** The clock for measuring and sleeping. @default the real one */
  clock?: Clock | undefined
}

/** Options of a processor, with their defaults. */
export interface Processing {
  readonly concurrency: number
  readonly batch: number
  readonly minIntervalUs: number
  readonly idleClaimMs: number
  readonly maxAttempts: number
  readonly observers: readonly Observer[]
  readonly logger: Logger
  readonly clock: Clock
}

const names = [...ofProcessors, 'observers', 'logger', 'clock']

export function readProcessing(options: ProcessorOptions): Processing {
  checkNames(options, '', names)
  const { concurrency = 1, batch = concurrency, minInterval, idleClaim = '30s', maxAttempts = 3 } = options
  return {
    concurrency: wholeNumber(concurrency, 'concurrency', 1),
    batch: wholeNumber(batch, 'batch', 1),
    minIntervalUs: minInterval === undefined ? 0 : durationUs(minInterval, 'minInterval'),
    idleClaimMs: readIdleClaim(idleClaim),
    maxAttempts: wholeNumber(maxAttempts, 'maxAttempts', 1),
    observers: observing.readObservers(options.observers),
    logger: observing.readLogger(options.logger),
    clock: readClock(options.clock),
  }
}

/** Throws for less than a second: a process that is merely busy could exceed that. */
function readIdleClaim(idleClaim: Duration): number {
  const ms = msUp(durationUs(idleClaim, 'idleClaim'))
  if (ms >= 1000) return ms
  throw optionError('idleClaim', 'a duration of at least "1s"', idleClaim)
}
