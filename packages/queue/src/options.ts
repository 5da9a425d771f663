import type { Clock, Logger, Observer } from '@sluice/core'
import {
  checkNames,
  durationUs,
  limiters,
  monotonicClock,
  msUp,
  observing,
  optionError,
  wholeNumber,
} from '@sluice/core/internal'
import type { QueueOptions } from './queue.ts'

/** The options of any queue, after reading. */
export interface QueueSettings {
  readonly name: string
  readonly limit: number
  readonly deadLetters: number
  readonly maxJobBytes: number
  readonly keepResultsMs: number
  readonly observers: readonly Observer[]
  readonly logger: Logger
}

/** Option names: of every queue, of those that keep results, and of those on a server. */
const common = ['name', 'limit', 'maxJobBytes', 'observers', 'logger'] as const
const keeping = ['deadLetters', 'keepResults'] as const
const onServer = ['redis', 'deadline'] as const

/** Options of a processor that no queue has. */
export const ofProcessors: readonly string[] = [
  'concurrency',
  'batch',
  'minInterval',
  'idleClaim',
  'maxAttempts',
]

export const optionNames: { readonly [queue in 'stream' | 'list' | 'memory']: readonly string[] } = {
  stream: [...common, ...keeping, ...onServer],
  list: [...common, ...onServer],
  memory: [...common, ...keeping, 'clock'],
}

export function readSettings(
  options: Omit<QueueOptions, 'redis' | 'deadline'>,
  form: keyof typeof optionNames,
): QueueSettings {
  const misplaced = ofProcessors.find((name) => name in Object(options))
  if (misplaced !== undefined)
    throw optionError(
      misplaced,
      `a known option; write processor(queue, work, { ${misplaced}: … })`,
      misplaced,
    )
  checkNames(options, '', optionNames[form])
  const { name, limit, deadLetters = 1000, maxJobBytes = 65_536, keepResults = '1h' } = options
  const settings = {
    name: readName(name),
    limit: wholeNumber(limit, 'limit', 1),
    deadLetters: wholeNumber(deadLetters, 'deadLetters', 1),
    maxJobBytes: wholeNumber(maxJobBytes, 'maxJobBytes', 1),
    keepResultsMs: msUp(durationUs(keepResults, 'keepResults')),
    observers: observing.readObservers(options.observers),
    logger: observing.readLogger(options.logger),
  }
  limiters.warnOfShortTimes(new observing.Reports(settings.observers, settings.logger), { keepResults })
  return settings
}

/** Reads the option `clock`. */
export function readClock(clock: Clock = monotonicClock): Clock {
  if (typeof clock?.nowUs === 'function') return clock
  throw optionError('clock', 'a clock with nowUs()', clock)
}

function readName(name: unknown): string {
  if (typeof name === 'string' && name !== '' && name.length <= 100) return name
  throw optionError('name', 'a name of 1 to 100 characters', name)
}
