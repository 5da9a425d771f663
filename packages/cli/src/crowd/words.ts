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

/** One test in one line. */
export function summaryLine(result: TestResult, allowed: number): string {
  const { title, offered, admitted, refused, mostInWindow } = result
  const most = `at most ${count(mostInWindow)} in any 10 s (${count(allowed)} allowed)`
  return `${title}: ${count(offered)} offered, ${count(admitted)} admitted, ${count(refused)} refused, ${most}${troubles(result)}`
}

/** Failures, if any: `, 12 failed (ECONNRESET 12), 3 not sent`. */
export function troubles({ failed, reasons, unsent }: TestResult): string {
  const why = Object.entries(reasons).map(([reason, times]) => `${oneLine(reason)} ${count(times)}`)
  const failures = failed === 0 ? '' : `, ${count(failed)} failed (${why.join(', ')})`
  return `${failures}${unsent === 0 ? '' : `, ${count(unsent)} not sent`}`
}
