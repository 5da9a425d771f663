import type { Jitter } from './jitter.ts'

/** How a caller waits. */
export interface Wait {
  readonly maxWaitUs: number
  readonly signal: AbortSignal | undefined
  readonly jitter: Jitter | undefined
  /** Of callers in line for a place in flight, the one with the higher priority is served first. @default 0 */
  readonly priority?: number | undefined
  /** Called before the caller sleeps. */
  readonly reserved?: (waitMs: number) => void
}
