import { performance } from 'node:perf_hooks'
import { hrtime } from 'node:process'

/** A source of time, injected so that tests can move it. */
export interface Clock {
  /** Whole microseconds; never steps back. */
  nowUs(): number
  /** @default real timers */
  sleep?(ms: number, signal?: AbortSignal): Promise<void>
}

/** Since some instant in the past. Costs three quarters of `performance.now()`, and most of that is the system's. */
function elapsedUs(): number {
  const now = hrtime()
  return now[0] * 1e6 + Math.floor(now[1] / 1000)
}

const originUs = Math.round((performance.timeOrigin + performance.now()) * 1000) - elapsedUs()

/** Starts at the wall clock's time at process start; later steps of the wall clock do not affect it. */
export const monotonicClock: Clock = {
  nowUs: () => originUs + elapsedUs(),
}
