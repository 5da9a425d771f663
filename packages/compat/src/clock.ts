import type { Clock } from '@sluice/core'
import { monotonicClock } from '@sluice/core/internal'

function isNative(now: () => number): boolean {
  return Function.prototype.toString.call(now).includes('[native code]')
}

let seen: typeof Date.now | undefined
let isMoved = false

/** Real time; in a test that has replaced `Date`, the time that this says. */
export const movableClock: Clock = {
  nowUs() {
    if (Date.now !== seen) {
      seen = Date.now
      isMoved = !isNative(seen)
    }
    return isMoved ? Date.now() * 1000 : monotonicClock.nowUs()
  },
}
