import type { Duration } from '../units.ts'

export interface ReserveOptions {
  /** Longest wait that is accepted, and never longer than a policy's `maxDebt`. @default '1m' */
  maxWait?: Duration | undefined
}

export const reserveNames = ['maxWait'] as const

export interface WaitOptions extends ReserveOptions {
  /** Ends the wait; what was reserved is given back. */
  signal?: AbortSignal | undefined
  /**
   * Factors between which a wait is stretched by chance; true is [0.9, 1.1]. It only lengthens, a factor below 1 counts as 1, by at
   * most one spacing of the policy. @default false
   */
  jitter?: readonly [from: number, to: number] | boolean | undefined
  /**
   * Of callers that wait for a place in flight (`concurrency`) the one with the higher priority is served first, and of those with the
   * same the one that has waited longest. A whole number from -100 to 100. @default 0
   *
   * @example limiter.run('reports', work, { priority: 5 })
   */
  priority?: number | undefined
}

export const waitNames = ['maxWait', 'signal', 'jitter', 'priority'] as const
