import { warnOfShortTimes } from '../hints.ts'
import { wholeNumber } from '../options.ts'
import { type Duration, durationUs } from '../units.ts'

export interface GuardOptions {
  /** Longest that a request is held up once the store has answered. @default '100ms' */
  deadline?: Duration | undefined
  /**
   * Longest that requests wait for the store's first answer, in place of `deadline` where it is longer. It runs once, from the
   * store's construction or the first attempt of its client to connect, and ends when that is refused. A standstill of this
   * process does not count. @default '1s'
   *
   * @example redisStore('redis://localhost', { connectDeadline: '3s' })
   */
  connectDeadline?: Duration | undefined
  /**
   * How many processes share each limit while the store is away: this one then admits its part, limits and capacities divided
   * (rounded down, at least 1), intervals and periods multiplied. @default 1: the whole limit in each
   *
   * @example processes: () => Number(process.env.WEB_CONCURRENCY ?? 1)
   */
  processes?: number | (() => number) | undefined
  /** How many keys the local fallback counts; for as many again it notes what the store took. @default 100_000 */
  maxKeys?: number | undefined
}

export const guardNames = ['deadline', 'connectDeadline', 'processes', 'maxKeys'] as const

/** Options of a guard, as it keeps them. */
export interface Guarding {
  readonly deadlineUs: number
  readonly connectDeadlineUs: number
  readonly maxKeys: number
  readonly processes: () => number
}

export function readGuardOptions({
  deadline = '100ms',
  connectDeadline = '1s',
  maxKeys = 100_000,
  processes = 1,
}: GuardOptions): Guarding {
  // Hundreds of ms are meant as such.
  if (Number(connectDeadline) < 100) warnOfShortTimes(undefined, { connectDeadline })
  return {
    deadlineUs: durationUs(deadline, 'deadline'),
    connectDeadlineUs: durationUs(connectDeadline, 'connectDeadline'),
    maxKeys: wholeNumber(maxKeys, 'maxKeys', 1),
    processes: readProcesses(processes),
  }
}

/** Each process has the whole limit, always. */
export const onlyOne = (): number => 1

function readProcesses(processes: unknown): () => number {
  if (typeof processes === 'function') return processes as () => number // what it answers is cut to what makes sense
  const count = wholeNumber(processes, 'processes', 1)
  return count === 1 ? onlyOne : () => count
}
