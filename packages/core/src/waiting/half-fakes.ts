import { isDateFake } from '../clock.ts'
import { showWarning } from '../runtime.ts'

// undefined if this file is loaded under fake timers: then the real ones are unknown.
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

/** Warns if a test has faked `Date` and left `setTimeout` real. */
export function warnOfFakeDate(): void {
  if (setTimeout === trueSetTimeout && isDateFake()) warn('Date is faked, setTimeout is not')
}

/** Warns if a test has faked `setTimeout` and left `Date` real; called when a timer has fired far too early. */
export function warnOfFakeTimers(): void {
  if (setTimeout !== trueSetTimeout && !isDateFake()) warn('setTimeout is faked, Date is not')
}
