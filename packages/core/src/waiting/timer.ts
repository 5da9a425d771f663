import { type Clock, monotonicClock } from '../clock.ts'
import { unref } from '../runtime.ts'
import { quietAlarm } from './alarm.ts'

/** A longer sleep is cut to this: a timer of 2^31 ms or more fires at once. */
const longestSleepMs = 2 ** 30

/** Calls `wake` after `ms`, by the clock's own sleep; the returned function calls that off. */
export function wakeByClock(clock: Clock, ms: number, wake: () => void): () => void {
  const called = new AbortController()
  clock.sleep?.(ms, called.signal).then(wake, () => {})
  return () => called.abort()
}

/**
 * Calls `wake` after `ms`, by the clock's own sleep or a timer that keeps no process alive; earlier if `ms` is longer than a timer can
 * be. The returned function calls that off.
 */
export function wakeQuietly(clock: Clock, ms: number, wake: () => void): () => void {
  if (clock.sleep !== undefined) return wakeByClock(clock, ms, wake)
  if (clock === monotonicClock) {
    const due = { atMs: quietAlarm.nowMs() + ms, place: -1, ring: wake }
    quietAlarm.set(due)
    return () => quietAlarm.callOff(due)
  }
  const timer = unref(setTimeout(wake, Math.min(ms, longestSleepMs)))
  return () => clearTimeout(timer)
}
