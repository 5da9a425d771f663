import { oneLine } from '../one-line.ts'
import type { TestResult } from './test-result.ts'

const numbers = new Intl.NumberFormat('en')
const shares = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** `1,234` */
export function count(value: number): string {
  return numbers.format(value)
}

/** `0.97`, or a dash if there was no admission. */
export function index(value: number | null): string {
  return value === null ? '–' : shares.format(value)
}

/** `566 of 300`: what was admitted in 10 s at most, and what the policies allow in them; `300` where they have no such bound. */
export function ofBound({ mostInWindow, bound }: Pick<TestResult, 'mostInWindow' | 'bound'>): string {
  return bound === null ? count(mostInWindow) : `${count(mostInWindow)} of ${count(bound)}`
}

/** One test in one line. */
export function summaryLine(result: TestResult): string {
  const { name, offered, admitted, refused } = result
  const most = `at most ${ofBound(result)} in any 10 s`
  return `${name}: ${count(offered)} offered, ${count(admitted)} admitted, ${count(refused)} refused, ${most}${troubles(result)}`
}

/** Failures, if any: `, 12 failed (ECONNRESET 12), 3 not sent`. */
export function troubles({ failed, reasons, unsent }: TestResult): string {
  const why = Object.entries(reasons).map(([reason, times]) => `${oneLine(reason)} ${count(times)}`)
  const failures = failed === 0 ? '' : `, ${count(failed)} failed (${why.join(', ')})`
  return `${failures}${unsent === 0 ? '' : `, ${count(unsent)} not sent`}`
}
