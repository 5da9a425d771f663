import { checkNames, optionError } from '@sluice/core/internal'
import type { Queues } from './queue-healths.ts'
import type { ObservedShedding } from './shedding-healths.ts'

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
  /**
   * Load shedding whose places and refusals are exported.
   *
   * @default none
   * @example sheddings: [load] // of shedding(…)
   */
  sheddings?: readonly ObservedShedding[] | undefined
}

export const metricsNames = ['nearLimit', 'queues', 'sheddings'] as const

export interface Measuring {
  readonly nearLimit: number
  readonly queues: Queues
  readonly sheddings: readonly ObservedShedding[]
}

/** `names`: the exporter's option names. */
export function readMeasuring(options: MetricsOptions, names: readonly string[]): Measuring {
  checkNames(options, '', names)
  const { nearLimit = 0.8, queues = [], sheddings = [] } = options
  if (typeof nearLimit !== 'number' || !(nearLimit > 0 && nearLimit <= 1)) {
    throw optionError('nearLimit', 'a share above 0 and at most 1, such as 0.8', nearLimit)
  }
  return {
    nearLimit,
    queues: typeof queues === 'function' ? queues : readNamed(queues, queueWords),
    sheddings: readNamed(sheddings, sheddingWords),
  }
}

const queueWords = {
  path: 'queues',
  list: 'a list of queues, or a function that returns one',
  one: 'a queue: an object with a name and health()',
}
const sheddingWords = {
  path: 'sheddings',
  list: 'a list of what shedding() returns',
  one: 'load shedding: an object with a name and health()',
}

function readNamed<T extends { readonly name: string; health(): unknown }>(
  all: readonly T[],
  { path, list, one }: typeof queueWords,
): readonly T[] {
  if (!Array.isArray(all)) throw optionError(path, list, all)
  for (const [i, each] of all.entries()) {
    if (typeof each?.health === 'function' && typeof each.name === 'string') continue
    throw optionError(`${path}[${i}]`, one, each)
  }
  return all
}
