import { performance } from 'node:perf_hooks'

/** Where time comes from: injected, so that tests can move it. */
export interface Clock {
  /** Whole microseconds; never steps back. */
  nowUs(): number
  /** @default real timers */
  sleep?(ms: number, signal?: AbortSignal): Promise<void>
}

const originUs = Math.round(performance.timeOrigin * 1000)

/** Counts on from the wall clock as it was when the process started; a step of the wall clock does not move it. */
export const monotonicClock: Clock = {
  nowUs: () => originUs + Math.floor(performance.now() * 1000),
}
