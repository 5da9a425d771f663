import { isDateFake } from '../clock.ts'
import { showWarning } from '../runtime.ts'

// Loaded under fake timers, nothing is known of the real ones.
const trueSetTimeout = isDateFake() ? undefined : setTimeout
let hasWarned = false

function warn(which: string): void {
  if (hasWarned) return
  hasWarned = true
  const message = `${which}: callers that wait for a limit in memory never wake. Fake both or neither, or use freeze() of @sluice/testing`
  showWarning(message, 'SLUICE_FAKE_TIMERS')
}

export function isRealTimer(setter: typeof setTimeout): boolean {
  return setter === trueSetTimeout
}

/** Says so where a test has faked `Date` and left `setTimeout` real. */
export function warnOfFakeDate(): void {
  if (setTimeout === trueSetTimeout && isDateFake()) warn('Date is faked, setTimeout is not')
}

/** Says so where a timer fires far too early as a test has faked it and left `Date` real. */
export function warnOfFakeTimers(): void {
  if (setTimeout !== trueSetTimeout && !isDateFake()) warn('setTimeout is faked, Date is not')
}
