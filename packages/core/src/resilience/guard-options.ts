import { wholeNumber } from '../options.ts'
import { type Duration, durationUs } from '../units.ts'

export interface GuardOptions {
  /** Longest that a request is held up. @default '100ms' */
  deadline?: Duration | undefined
  /**
   * How many processes share each limit while the store is away: this one then admits its part, limits and capacities divided
   * (rounded down, at least 1), intervals and periods multiplied. @default 1: the whole limit in each
   *
   * @example processes: () => Number(process.env.WEB_CONCURRENCY ?? 1)
   */
  processes?: number | (() => number) | undefined
  /** Keys of the local fallback. @default 100_000 */
  maxKeys?: number | undefined
}

export const guardNames = ['deadline', 'processes', 'maxKeys'] as const

/** Options of a guard, as it keeps them. */
export interface Guarding {
  readonly deadlineUs: number
  readonly maxKeys: number
  readonly processes: () => number
}

export function readGuardOptions({
  deadline = '100ms',
  maxKeys = 100_000,
  processes = 1,
}: GuardOptions): Guarding {
  return {
    deadlineUs: durationUs(deadline, 'deadline'),
    maxKeys: wholeNumber(maxKeys, 'maxKeys', 1),
    processes: readProcesses(processes),
  }
}

function readProcesses(processes: unknown): () => number {
  if (typeof processes === 'function') return processes as () => number // what it answers is cut to what can be meant
  const count = wholeNumber(processes, 'processes', 1)
  return () => count
}
