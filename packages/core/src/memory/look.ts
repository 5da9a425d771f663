import type { Check, StoreRow } from '../store.ts'
import type { StrategyDraft } from '../strategies/definition.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import { blockedRow } from './block-for.ts'
import type { Block } from './blocks.ts'
import type { Place, States, StateTable } from './states.ts'

/** A check between its look and its take. */
export interface Look extends Place {
  slot: number
  state: unknown
  readonly draft: StrategyDraft
  /** The row of a key that is blocked. */
  readonly blocked: StoreRow | undefined
}

/** Finds the table and the slot of a check's key. */
export function placeOf<T extends StateTable>(states: States<T>, check: Check, nowUs: number): Place<T> {
  const table = states.tableOf(check)
  return { check, numbers: partsOf(check.policy).numbers, table, slot: table.find(check.key), nowUs }
}

/** What the strategy says of this state. */
export function lookAt({ check, numbers, table, nowUs }: Place, state: unknown, cost: number): StrategyDraft {
  return table.definition.look(numbers, state, nowUs, cost, check.note)
}

export function blockedLook(place: Place, block: Block): Look {
  const blocked = blockedRow(place.check, block, place.nowUs)
  return { ...place, state: undefined, draft: blocked, blocked }
}

/** Allows a refusal whose wait is at most `maxWaitUs`; else its `retryAfterUs` is the time until its wait would be accepted. */
export function withinMaxWait(look: Look, maxWaitUs: number): Look {
  const { draft, blocked } = look
  const { allowed, retryAfterUs } = draft
  if (maxWaitUs === 0 || allowed || blocked !== undefined || retryAfterUs === null) return look
  if (retryAfterUs > maxWaitUs)
    return { ...look, draft: { ...draft, retryAfterUs: retryAfterUs - maxWaitUs } }
  return { ...look, draft: { ...draft, allowed: true, remaining: 0, retryAfterUs: 0, waitUs: retryAfterUs } }
}

/** The row of a reservation, with `resetAfterUs` of the state after the take, which the draft, a refusal's, does not describe. */
export function afterwards(row: StoreRow, look: Look, taken: unknown): StoreRow {
  return { ...row, resetAfterUs: lookAt(look, taken, 0).resetAfterUs }
}

/** Brings a look up to date after the takes of other checks: they may have evicted its key, or loaded another state over its own. */
export function lookAgain(look: Look): void {
  const { check, numbers, table, nowUs, blocked } = look
  // The state behind a block is not touched.
  if (blocked !== undefined) return
  look.slot = table.findAgain(check.key, look.slot)
  look.state = table.stateAt(look.slot, numbers, nowUs)
}

/** How many units fit. Looks at cost 0: a refusal may describe any of several windows, that look describes the one with least room. */
export function roomOf(look: Look): number {
  return look.blocked === undefined ? lookAt(look, look.state, 0).remaining : 0
}

/** Brings the look up to date, and looks again if `check` has another cost. */
export function lookFor(look: Look, check: Check): Look {
  lookAgain(look)
  if (look.blocked !== undefined || check === look.check) return look
  return { ...look, check, draft: lookAt(look, look.state, check.cost) }
}

/** The row of a take although another check refused: `retryAfterUs` is the time until this check would let the same request pass again. */
export function onceMore(row: StoreRow, look: Look, taken: unknown): StoreRow {
  return { ...row, retryAfterUs: lookAt(look, taken, look.check.cost).retryAfterUs ?? -1 }
}
