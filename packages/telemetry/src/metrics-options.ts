import { checkNames, optionError } from '@sluice/core/internal'
import type { Queues } from './queue-healths.ts'

/** Options of both exporters. */
export interface MetricsOptions {
  /** The used share of a limit from which an allowed decision counts as near it: above 0, at most 1. @default 0.8 */
  nearLimit?: number | undefined
  /**
   * Queues whose length and age are exported: a list, or a function that returns the current ones. They are asked whenever
   * metrics are collected, for at most a second.
   *
   * @default none
   * @example queues: [orders] // of streamQueue(…)
   */
  queues?: Queues | undefined
}

export const metricsNames = ['nearLimit', 'queues'] as const

export interface Measuring {
  readonly nearLimit: number
  readonly queues: Queues
}

/** `names`: the exporter's option names. */
export function readMeasuring(options: MetricsOptions, names: readonly string[]): Measuring {
  checkNames(options, '', names)
  const { nearLimit = 0.8, queues = [] } = options
  if (typeof nearLimit !== 'number' || !(nearLimit > 0 && nearLimit <= 1)) {
    throw optionError('nearLimit', 'a share above 0 and at most 1, such as 0.8', nearLimit)
  }
  if (typeof queues === 'function') return { nearLimit, queues }
  if (!Array.isArray(queues)) {
    throw optionError('queues', 'a list of queues, or a function that returns one', queues)
  }
  for (const [i, queue] of queues.entries()) {
    if (typeof queue?.health === 'function' && typeof queue.name === 'string') continue
    throw optionError(`queues[${i}]`, 'a queue: an object with a name and health()', queue)
  }
  return { nearLimit, queues }
}
