import Table from 'cli-table3'
import { paint } from '../print.ts'
import type { TestResult } from './test-result.ts'
import { count, index } from './words.ts'

const head = ['test', 'offered', 'admitted', 'refused', 'failed', 'peak per s', 'most in 10 s', 'fairness']

/** All tests, one a row; what is over the allowance says so. */
export function tableOf(results: readonly TestResult[], allowed: number): string {
  const table = new Table({
    head: head.map((title) => paint('bold', title)),
    colAligns: head.map((_, column) => (column === 0 ? 'left' : 'right')),
    // Colours of its own would come into a pipe, too.
    style: { head: [], border: [], compact: true },
  })
  for (const { title, mostInWindow, fairness, ...result } of results) {
    const { offered, admitted, refused, failed, peakPerSecond } = result
    const most = count(mostInWindow)
    table.push([
      title,
      ...[offered, admitted, refused, failed, peakPerSecond].map(count),
      mostInWindow > allowed ? paint('bold', `${most} (over)`) : most,
      index(fairness),
    ])
  }
  return table.toString()
}
