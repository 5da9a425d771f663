import { type Clock, monotonicClock } from '../clock.ts'
import { unref } from '../runtime.ts'
import { quietAlarm } from './alarm.ts'

/** Longer ones are slept in parts: from 2^31 ms on a timer fires at once. */
const longestSleepMs = 2 ** 30

/** Wakes after so long by the clock's own sleep; the answer calls it off. */
export function wakeByClock(clock: Clock, ms: number, wake: () => void): () => void {
  const called = new AbortController()
  clock.sleep?.(ms, called.signal).then(wake, () => {})
  return () => called.abort()
}

/** Wakes after so long, or earlier where that is very long, by the clock's sleep or a timer that keeps no process alive. */
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
