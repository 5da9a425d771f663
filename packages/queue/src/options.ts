import type { Logger, Observer } from '@sluice/core'
import { checkNames, durationUs, msUp, optionError, wholeNumber } from '@sluice/core/internal'
import type { QueueOptions } from './queue.ts'

/** Options of any queue, as it keeps them. */
export interface Settled {
  readonly name: string
  readonly limit: number
  readonly deadLetters: number
  readonly maxJobBytes: number
  readonly keepResultsMs: number
  readonly observers: readonly Observer[]
  readonly logger: Logger
}

const names = ['name', 'limit', 'deadLetters', 'maxJobBytes', 'keepResults', 'observers', 'logger'] as const

/** `more`: names of options that this form of queue has besides. */
export function settle(options: Omit<QueueOptions, 'redis' | 'deadline'>, more: readonly string[]): Settled {
  checkNames(options, '', [...names, ...more])
  const { name, limit, deadLetters = 1000, maxJobBytes = 65_536, keepResults = '1h' } = options
  const { observers = [], logger = console } = options
  if (!Array.isArray(observers)) throw optionError('observers', 'a list of observers', observers)
  if (typeof logger?.warn !== 'function' || typeof logger.error !== 'function') {
    throw optionError('logger', 'an object with warn() and error()', logger)
  }
  return {
    name: readName(name),
    limit: wholeNumber(limit, 'limit', 1),
    deadLetters: wholeNumber(deadLetters, 'deadLetters', 1),
    maxJobBytes: wholeNumber(maxJobBytes, 'maxJobBytes', 1),
    keepResultsMs: msUp(durationUs(keepResults, 'keepResults')),
    observers,
    logger,
  }
}

function readName(name: unknown): string {
  if (typeof name === 'string' && name !== '' && name.length <= 100) return name
  throw optionError('name', 'a name of 1 to 100 characters', name)
}
