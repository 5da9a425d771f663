import { paint } from '../print.ts'
import { type Column, fittedTable } from '../terminal/fitted-table.ts'
import type { TestResult } from './test-result.ts'
import { count, index, ofBound } from './words.ts'

/** The columns that go first where there is no room are shown elsewhere, or follow from the rest. */
const columns: readonly Column[] = [
  { head: 'test', align: 'left' },
  { head: 'offered', align: 'right' },
  { head: 'admitted', align: 'right' },
  { head: 'refused', align: 'right', goes: 2 },
  { head: 'failed', align: 'right', goes: 4 },
  { head: 'peak per s', align: 'right', goes: 3 },
  { head: 'most in 10 s', align: 'right' },
  { head: 'fairness', align: 'right', goes: 1 },
]

/** One row per test; a result over the policy's own bound is bold. What has no room within the width is named below. */
export function tableOf(results: readonly TestResult[], width: number | null): string {
  const { text, without } = fittedTable({ columns, rows: results.map(rowOf), width, compact: true })
  return without.length === 0 ? text : `${text}\nno room for: ${without.join(', ')}`
}

function rowOf({ name, fairness, ...result }: TestResult): readonly string[] {
  const { offered, admitted, refused, failed, peakPerSecond, mostInWindow, bound } = result
  const most = ofBound(result)
  return [
    name,
    ...[offered, admitted, refused, failed, peakPerSecond].map(count),
    bound !== null && mostInWindow > bound ? paint('bold', most) : most,
    index(fairness),
  ]
}
