import { restOf, withRest } from '../all-or-nothing.ts'
import { makeRow } from '../row.ts'
import type { Change, Check, HeldLease, InLine, LinePlace, Question, StoreRow, StoreRows } from '../store.ts'
import { isInFlight, partsOf, spacingUs } from '../strategies/policy-parts.ts'
import type { Mirror } from './mirror.ts'

/** Marks the receipts of this process's fallback, so that giving back finds the store that took. */
const mark = 'local '

/** The wait of those who are refused with `deny`. A store that is away is probed more often. */
const deniedUs = 1_000_000

/** Answers while the store cannot: each check by its own choice, counted in this process, let through, or refused. */
export function decideWithout(fallback: Mirror, question: Question): StoreRows {
  const { checks, maxWaitUs } = question
  const chosen = checks.map((check) =>
    check.onStoreFailure === 'local' ? undefined : uncounted(check, maxWaitUs),
  )
  const local = restOf(question, chosen)
  if (local.checks.length === 0) return Object.assign(withRest(chosen, []), { source: 'none' })
  return Object.assign(withRest(chosen, fallback.answer(local).map(marked)), { source: 'fallback' })
}

/** Answers callers in line while the store cannot: those with the choice `local` wait in this process. */
export function lineWithout(fallback: Mirror, callers: readonly InLine[]): readonly LinePlace[] {
  const local = callers.filter(({ check }) => check.onStoreFailure === 'local')
  const counted = fallback.line(local)
  let at = 0
  return callers.map(({ check }) => {
    const here = check.onStoreFailure === 'local' ? counted[at++] : undefined
    if (here !== undefined) return { ...here, source: 'fallback' }
    return { row: uncounted(check, 0), waits: false, source: 'none' }
  })
}

function marked(row: StoreRow): StoreRow {
  return row.receipt === '' ? row : { ...row, receipt: `${mark}${row.receipt}` }
}

/** No number is known, so none is claimed. A caller that may wait is spaced by the policy's own rate. */
function uncounted(check: Check, maxWaitUs: number): StoreRow {
  const deny = check.onStoreFailure === 'deny'
  const retryAfterUs = deny ? deniedUs : 0
  const waitUs = deny || maxWaitUs === 0 ? 0 : Math.min(maxWaitUs, spacingUs(check.policy, check.cost))
  const numbers = { limit: partsOf(check.policy).units, remaining: 0, retryAfterUs, resetAfterUs: 0, waitUs }
  return { ...makeRow(numbers, deny ? 'store-unavailable' : null, ''), uncounted: true }
}

/** Separates changes to what the fallback took from all others. Those in flight belong to the others: the store may have renewed them. */
export function splitChanges(changes: readonly Change[]): {
  local: readonly Change[]
  remote: readonly Change[]
} {
  const local: Change[] = []
  const remote: Change[] = []
  for (const change of changes) {
    const receipt = unmarked(change.receipt)
    if (receipt === change.receipt || isInFlight(change.check)) remote.push({ ...change, receipt })
    else local.push({ ...change, receipt })
  }
  return { local, remote }
}

/** Leases by the receipts under which both the store and the fallback know them. */
export function knownToBoth(held: readonly HeldLease[]): readonly HeldLease[] {
  return held.map(({ check, receipt }) => ({ check, receipt: unmarked(receipt) }))
}

function unmarked<R>(receipt: R): R | string {
  return typeof receipt === 'string' && receipt.startsWith(mark) ? receipt.slice(mark.length) : receipt
}
