import { isRefused } from '../all-or-nothing.ts'
import type { Change, Question, StoreRow, StoreRows } from '../store.ts'
import { withSteps } from '../up-to.ts'
import { type Group, place } from './slot.ts'

/** What asks the slots of one question. */
export interface SlotsAsked {
  ask(question: Question, group: Group): Promise<StoreRows>
  /** Never rejects. */
  correct(changes: readonly Change[]): Promise<void>
  /** For one step, as the group at this place has refused even that; what the others have taken goes back. */
  refused(rows: StoreRow[], refusing: number): Promise<StoreRows>
}

/** A question that takes up to so many steps, and its slots. */
export interface UpToSlots {
  readonly question: Question
  readonly groups: readonly Group[]
  readonly steps: number
}

/** Slots of shadow policies alone go last: these take what the policies that bind have taken, or nothing. */
export function shadowsLast(groups: readonly Group[]): readonly Group[] {
  const isShadow = ({ checks }: Group) => Number(checks.every(({ shadow }) => shadow))
  return [...groups].sort((a, b) => isShadow(a) - isShadow(b))
}

/**
 * Slot after slot takes as many steps as those before it, or fewer: then those before it give the rest back. `rows` is filled on the
 * way, so that all of it can go back where a slot fails.
 */
export async function upToBySlot(asked: UpToSlots, slots: SlotsAsked, rows: StoreRow[]): Promise<StoreRows> {
  const { question, groups, steps } = asked
  let most = steps
  for (const [nth, group] of groups.entries()) {
    const checks = group.checks.map((check) => withSteps(check, most, steps))
    place(rows, group, await slots.ask({ ...question, checks, upTo: most }, group))
    if (isRefused(question.checks, rows)) return slots.refused(rows, nth)
    for (const [i, { cost, shadow }] of group.checks.entries()) {
      const { taken = 0 } = rows[group.places[i] ?? -1] ?? {}
      if (cost > 0 && !shadow) most = Math.min(most, taken / (cost / steps))
    }
  }
  for (const group of groups) await giveRestBack(asked, { slots, rows, group, most })
  return rows
}

async function giveRestBack(
  { question, steps }: UpToSlots,
  { slots, rows, group, most }: { slots: SlotsAsked; rows: StoreRow[]; group: Group; most: number },
): Promise<void> {
  const changes: Change[] = []
  for (const [i, check] of group.checks.entries()) {
    const at = group.places[i] ?? -1
    const row = rows[at]
    const keeps = withSteps(check, most, steps).cost
    const { taken = 0 } = row ?? {}
    if (row === undefined || taken <= keeps) continue
    changes.push({ check: { ...check, cost: taken }, receipt: row.receipt, byUnits: keeps - taken })
    rows[at] = { ...row, taken: keeps }
  }
  if (changes.length === 0) return
  await slots.correct(changes)
  // What has drained meanwhile, or others have taken, is not to be computed from a row.
  const checks = group.checks.map((check) => ({ ...check, cost: 0 }))
  const looked = await slots.ask({ ...question, checks, take: false, upTo: undefined }, group)
  for (const [i, at] of group.places.entries()) {
    const [row, now] = [rows[at], looked[i]]
    if (row === undefined || now === undefined) continue
    rows[at] = { ...row, remaining: now.remaining, resetAfterUs: now.resetAfterUs }
  }
}
