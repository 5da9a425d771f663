import { performance } from 'node:perf_hooks'

/** A source of time, injected so that tests can move it. */
export interface Clock {
  /** Whole microseconds; never steps back. */
  nowUs(): number
  /** @default real timers */
  sleep?(ms: number, signal?: AbortSignal): Promise<void>
}

const originUs = Math.round(performance.timeOrigin * 1000)

/** Starts at the wall clock's time at process start; later steps of the wall clock do not affect it. */
export const monotonicClock: Clock = {
  nowUs: () => originUs + Math.floor(performance.now() * 1000),
}
