import { makeRow } from '../row.ts'
import type { Check, Question, Reason, StoreRow, StoreRows, Summary } from '../store.ts'
import { integerOf, malformed } from './reply.ts'

const width = 6
const summaryWidth = 4
const reasons: readonly (Reason | null)[] = [null, 'limited', 'blocked', 'too-costly']

/** What a reply of decide.lua says behind its first number: rows in the order of the checks. */
export function readRows(questions: readonly Question[], reply: readonly unknown[]): readonly StoreRows[] {
  if (reply.length !== lengthFor(questions)) throw malformed()
  const answers: StoreRows[] = []
  let at = 1
  for (const { checks, maxWaitUs } of questions) {
    const rows: StoreRow[] = new Array(checks.length)
    for (let i = checks.length - 1; i >= 0; i--, at += width) {
      const check = checks[i]
      if (check !== undefined) rows[i] = readRow(reply, at, { check, patient: maxWaitUs > 0 })
    }
    if (checks.length > 1) {
      answers.push(withSummary(rows, { checks, reply, at }))
      at += summaryWidth
    } else {
      answers.push(rows)
    }
  }
  return answers
}

function lengthFor(questions: readonly Question[]): number {
  let length = 1
  for (const { checks } of questions) length += checks.length * width + (checks.length > 1 ? summaryWidth : 0)
  return length
}

/** What the script has folded of the policies that bind, and the smallest of their limits. */
function withSummary(
  rows: StoreRow[],
  { checks, reply, at }: { checks: readonly Check[]; reply: readonly unknown[]; at: number },
): StoreRows {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < rows.length; i++) {
    if (checks[i]?.shadow === false) least = Math.min(least, rows[i]?.limit ?? least)
  }
  if (least === Number.POSITIVE_INFINITY) return rows
  const limited = integerOf(reply[at])
  if (limited > 1) throw malformed()
  const summary: Summary = [
    limited === 0 ? 0 : 1,
    least,
    integerOf(reply[at + 1]),
    integerOf(reply[at + 2], -1),
    integerOf(reply[at + 3]),
  ]
  return Object.assign(rows, { summary })
}

function readRow(
  reply: readonly unknown[],
  at: number,
  { check: { policy }, patient }: { check: Check; patient: boolean },
): StoreRow {
  const reason = reasons[integerOf(reply[at])]
  if (reason === undefined) throw malformed()
  const limit = integerOf(reply[at + 1])
  const reserved = patient && reason === null
  const waitUs = integerOf(reply[at + 3], reserved ? 0 : -1)
  const numbers = {
    limit: limit === 0 ? policy.limit : limit,
    remaining: integerOf(reply[at + 2]),
    retryAfterUs: reserved ? 0 : waitUs,
    resetAfterUs: integerOf(reply[at + 4]),
    waitUs: reserved ? waitUs : 0,
  }
  return makeRow(numbers, reason, readReceipt(reply[at + 5]))
}

/** 0: nothing was taken. */
function readReceipt(receipt: unknown): string | number {
  if (receipt === 0 || receipt === '0') return ''
  if (typeof receipt === 'string' || Number.isInteger(receipt)) return receipt as string | number // as was just asked
  throw malformed()
}
