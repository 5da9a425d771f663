import type { Check } from '../store.ts'
import { slotOf } from './slot.ts'

/** Names the state of a check on the server. */
export type StateKeyOf = (check: Check) => string

/** The checks of one call, and their places in the question. */
export interface Group {
  readonly slot: number
  readonly key: string
  readonly checks: Check[]
  readonly places: number[]
}

/** The slot in which all keys lie; undefined where there are several. */
export function oneSlotOf(checks: readonly Check[], keyOf: StateKeyOf): number | undefined {
  const [first] = checks
  if (first === undefined) return undefined
  const slot = slotOf(keyOf(first))
  for (let i = 1; i < checks.length; i++) {
    const check = checks[i]
    if (check !== undefined && check.key !== first.key && slotOf(keyOf(check)) !== slot) return undefined
  }
  return slot
}

/** One group for each slot, in an order that all processes share. */
export function groupBySlot(checks: readonly Check[], keyOf: StateKeyOf): readonly Group[] {
  const groups = new Map<number, Group>()
  for (const single of eachAlone(checks, keyOf)) {
    const group = groups.get(single.slot)
    if (group === undefined) groups.set(single.slot, single)
    else {
      group.checks.push(...single.checks)
      group.places.push(...single.places)
    }
  }
  return [...groups.values()]
}

/** One group for each check, in an order that all processes share. */
export function eachAlone(checks: readonly Check[], keyOf: StateKeyOf): readonly Group[] {
  return checks
    .map((check, i): Group => {
      const key = keyOf(check)
      return { slot: slotOf(key), key, checks: [check], places: [i] }
    })
    .sort((a, b) => a.slot - b.slot || (a.key < b.key ? -1 : 1))
}

/** Puts a group's answers in their places. */
export function place<T>(all: T[], { places }: Pick<Group, 'places'>, answers: readonly T[]): void {
  for (const [i, at] of places.entries()) {
    const answer = answers[i]
    if (answer !== undefined) all[at] = answer
  }
}
