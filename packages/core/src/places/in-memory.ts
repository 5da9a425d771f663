import { type LineNumbers, type LineOf, lineCallers, linePlacesOf, sameLines } from '../line.ts'
import { lookAt, placeOf } from '../memory/look.ts'
import type { States } from '../memory/states.ts'
import type { HeldLease, InLine, LinePlace, Renewal } from '../store.ts'
import { longestAdviceUs } from '../strategies/line.ts'

/** Lets callers of any keys stand in line, as line.lua does. While a key is blocked, no caller of it gets a place or a turn. */
export function standInMemory(
  states: States,
  callers: readonly InLine[],
  nowUs: number,
): readonly LinePlace[] {
  return sameLines(callers).flatMap((line) => linePlacesOf(line, standInOne(states, line, nowUs)))
}

function standInOne(states: States, { check, callers }: LineOf, nowUs: number): LineNumbers {
  const place = placeOf(states, check, nowUs)
  const { table, numbers, slot } = place
  const blockedUs = table.blocks.restUs(check.key, nowUs)
  if (blockedUs > 0)
    return { blockedUs, remaining: 0, retryAfterUs: blockedUs, resetAfterUs: blockedUs, outcomes: [] }
  const before = table.stateAt(slot, numbers, nowUs)
  const stood = table.definition.line?.(before, nowUs, { numbers, callers: lineCallers(callers) })
  const { state = before, outcomes = [] } = stood ?? {}
  const { remaining, resetAfterUs } = lookAt(place, state, 0)
  states.save(place, state, remaining)
  const retryAfterUs = Math.min(resetAfterUs, longestAdviceUs)
  return { blockedUs, remaining, retryAfterUs, resetAfterUs, outcomes }
}

/** Renews one lease, as renew.lua does; also if its key is blocked. */
export function renewOne(states: States, { check, receipt }: HeldLease, nowUs: number): Renewal {
  const place = placeOf(states, check, nowUs)
  const { table, numbers } = place
  const state = table.stateAt(place.slot, numbers, nowUs)
  const taken = { receipt: String(receipt), numbers, charged: check.cost }
  const renewed = table.definition.renew?.(state, nowUs, taken)
  if (renewed === undefined) return 'lost'
  states.save(place, renewed.state)
  return renewed.held ? 'held' : 'regained'
}
