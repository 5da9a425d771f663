import type { Check, Reason, StoreRow, StoreRows } from '@sluice/core'
import { partsOf, stores } from '@sluice/core/internal'
import { garbled } from '../errors.ts'
import { listOf, wholeOf } from './sheet.ts'

/** Reasons by their number; the first stands for none. New ones come at the end. */
const reasons: readonly (Reason | null)[] = [
  null,
  'limited',
  'blocked',
  'banned',
  'denied',
  'too-costly',
  'store-unavailable',
]
const members = 7

/** All rows in one flat list. If a part of a cost was taken, how much of each follows behind them. */
export function writeRows(rows: StoreRows): readonly unknown[] {
  const written: unknown[] = []
  for (const row of rows) writeRow(row, written)
  if (rows.some(({ taken }) => taken !== undefined)) for (const { taken = 0 } of rows) written.push(taken)
  return written
}

export function writeRow(row: StoreRow, to: unknown[]): void {
  const { reason, limit, remaining, retryAfterUs, resetAfterUs, waitUs, receipt } = row
  to.push(reasons.indexOf(reason), limit, remaining, retryAfterUs, resetAfterUs, waitUs, receipt)
}

/** Throws if they are no rows of these checks. */
export function readRows(written: unknown, checks: readonly Check[]): StoreRows {
  const list = listOf(written, 'answer')
  const end = checks.length * members
  if (list.length !== end && list.length !== end + checks.length) throw garbled('answer')
  const rows: StoreRow[] = []
  for (let i = 0; i < checks.length; i++) rows.push(readRow(list, i * members, checks[i]))
  return list.length === end ? rows : rows.map((row, i) => withTaken(row, list[end + i]))
}

function withTaken(row: StoreRow, written: unknown): StoreRow {
  const taken = wholeOf(written, 'count')
  return taken === 0 ? row : { ...row, taken }
}

export function readRow(list: readonly unknown[], at: number, check: Check | undefined): StoreRow {
  const reason = reasons[wholeOf(list[at], 'reason')]
  const receipt = list[at + 6]
  if (reason === undefined || check === undefined) throw garbled('row')
  if (typeof receipt !== 'string' && typeof receipt !== 'number') throw garbled('receipt')
  const limit = wholeOf(list[at + 1], 'limit')
  const numbers = {
    // The row brings its limit: units taken ahead are counted by numbers with another limit than the policy's.
    limit: stores.isBlock(reason) ? partsOf(check.policy).units : limit,
    remaining: wholeOf(list[at + 2], 'count'),
    retryAfterUs: wholeOf(list[at + 3], 'wait', -1),
    resetAfterUs: wholeOf(list[at + 4], 'reset'),
    waitUs: wholeOf(list[at + 5], 'wait'),
  }
  return stores.makeRow(numbers, reason, receipt)
}
