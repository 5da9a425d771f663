import Table from 'cli-table3'
import { paint } from '../print.ts'
import type { TestResult } from './test-result.ts'
import { count, index } from './words.ts'

const head = ['test', 'offered', 'admitted', 'refused', 'failed', 'peak per s', 'most in 10 s', 'fairness']

/** One row per test; a result over the allowance is marked. */
export function tableOf(results: readonly TestResult[], allowed: number): string {
  const table = new Table({
    head: head.map((title) => paint('bold', title)),
    colAligns: head.map((_, column) => (column === 0 ? 'left' : 'right')),
    // The table's own colours would also appear in a pipe.
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
