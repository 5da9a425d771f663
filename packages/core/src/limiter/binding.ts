import type { Check, Row } from '../store.ts'
import { partsOf } from '../strategies/definition.ts'

/** One check and its answer. */
export interface Answered {
  readonly check: Check
  readonly row: Row
}

/** How many more requests like this one the row has room for. A cost of 0 counts as 1, and so does any cost where requests are counted. */
function furtherRequests({ check, row }: Answered): number {
  if (row.uncounted === true) return Number.POSITIVE_INFINITY
  const counts = check.cost === 0 || partsOf(check.policy).definition.countsRequests === true
  return counts ? row.remaining : Math.floor(row.remaining / check.cost)
}

function waitOf({ retryAfterUs }: Row): number {
  return retryAfterUs < 0 ? Number.POSITIVE_INFINITY : retryAfterUs
}

/** true where `a` binds more than `b`, which comes before it: ties go to the longer window, then to configuration order. */
function bindsMore(a: Answered, b: Answered): boolean {
  if (a.row.allowed !== b.row.allowed) return !a.row.allowed
  const difference = a.row.allowed ? furtherRequests(b) - furtherRequests(a) : waitOf(a.row) - waitOf(b.row)
  if (difference > 0) return true
  // Two infinities differ by NaN, which is a tie.
  if (difference < 0) return false
  return (a.check.policy.windowMs ?? 0) > (b.check.policy.windowMs ?? 0)
}

/** The answer that the decision reads as: shadow policies bind only where no other applies, and then the first of them does. */
export function bindingOf(answers: readonly Answered[]): Answered | undefined {
  let binding: Answered | undefined
  for (const answer of answers) {
    if (answer.check.shadow) continue
    if (binding === undefined || bindsMore(answer, binding)) binding = answer
  }
  return binding ?? answers[0]
}

/** The refusal that shadow policies would have made. */
export function shadowRefusalOf(answers: readonly Answered[]): Answered | undefined {
  let refusal: Answered | undefined
  for (const answer of answers) {
    if (!answer.check.shadow || answer.row.allowed) continue
    if (refusal === undefined || bindsMore(answer, refusal)) refusal = answer
  }
  return refusal
}

/** How long until this same request would pass every policy that binds: -1 where it never will. */
export function longestWaitUs(answers: readonly Answered[]): number {
  let longest = 0
  for (const { check, row } of answers) {
    if (check.shadow) continue
    if (row.retryAfterUs < 0) return -1
    longest = Math.max(longest, row.retryAfterUs)
  }
  return longest
}
