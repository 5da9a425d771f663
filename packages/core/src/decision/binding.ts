import type { StoreRow } from '../store.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import type { LaneCheck } from './lane.ts'

/** The checks of one question and the rows that answer them, place by place. */
export interface Answered {
  readonly checks: readonly LaneCheck[]
  readonly rows: readonly StoreRow[]
}

/** What is compared to find out what binds most. */
export interface BindingRank {
  readonly allowed: boolean
  /** Of a refusal; Infinity where waiting never helps. */
  readonly waitUs: number
  /** Requests like this one that still fit. */
  readonly further: number
  readonly windowMs: number
}

/** The one rule of what binds more: a refusal; then the longer wait or the fewer further requests; the longer window; else the earlier. */
export function bindsMore(later: BindingRank, earlier: BindingRank): boolean {
  if (later.allowed !== earlier.allowed) return !later.allowed
  if (later.allowed && later.further !== earlier.further) return later.further < earlier.further
  if (!later.allowed && later.waitUs !== earlier.waitUs) return later.waitUs > earlier.waitUs
  return later.windowMs > earlier.windowMs
}

function rankOf({ policy, cost }: LaneCheck, row: StoreRow): BindingRank {
  const { retryAfterUs } = row
  return {
    allowed: row.allowed,
    waitUs: retryAfterUs < 0 ? Number.POSITIVE_INFINITY : retryAfterUs,
    further:
      row.uncounted === true
        ? Number.POSITIVE_INFINITY
        : furtherRequests(row.remaining, cost, partsOf(policy).countsRequests),
    windowMs: policy.windowMs ?? 0,
  }
}

/** How many more requests like this one fit. A cost of 0 counts as 1, and so does any cost if the policy counts requests. */
export function furtherRequests(remaining: number, cost: number, countsRequests: boolean): number {
  return cost === 0 || countsRequests ? remaining : Math.floor(remaining / cost)
}

type Filter = (check: LaneCheck, row: StoreRow) => boolean
const binds: Filter = ({ shadow }) => !shadow
const wouldRefuse: Filter = ({ shadow }, { allowed }) => shadow && !allowed

/** The place of the policy whose verdict the decision reads as: that of the first if all are shadow policies. */
export function bindingPlace(answered: Answered): number {
  return Math.max(placeOf(answered, binds), 0)
}

/** The place of the refusal that shadow policies would have made; -1: none would have. */
export function shadowRefusalPlace(answered: Answered): number {
  return placeOf(answered, wouldRefuse)
}

/** The place of the check that binds most, of those for which `counts` is true; -1: there is none. */
function placeOf({ checks, rows }: Answered, counts: Filter): number {
  let place = -1
  let binding: BindingRank | undefined
  for (let i = 0; i < checks.length; i++) {
    const check = checks[i]
    const row = rows[i]
    if (check === undefined || row === undefined || !counts(check, row)) continue
    const rank = rankOf(check, row)
    if (binding !== undefined && !bindsMore(rank, binding)) continue
    place = i
    binding = rank
  }
  return place
}

/** How long until this same request would pass every policy that binds: -1 where it never will. */
export function longestWaitUs({ checks, rows }: Answered): number {
  let longest = 0
  for (let i = 0; i < checks.length; i++) {
    const row = rows[i]
    if (row === undefined || checks[i]?.shadow === true) continue
    if (row.retryAfterUs < 0) return -1
    longest = Math.max(longest, row.retryAfterUs)
  }
  return longest
}

/** A reservation under several policies waits for the slowest of them; a refusal is no wait. */
export function reservedWaitUs({ checks, rows }: Answered): number {
  let longest = 0
  for (let i = 0; i < checks.length; i++) {
    const row = rows[i]
    if (row === undefined || checks[i]?.shadow === true) continue
    if (!row.allowed) return 0
    longest = Math.max(longest, row.waitUs)
  }
  return longest
}
