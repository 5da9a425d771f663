import type { Inspection } from '../decision/decision.ts'
import type { LaneCheck } from '../decision/lane.ts'
import { setMember } from '../decision/per-policy.ts'
import { PolicyVerdict } from '../decision/verdict.ts'
import type { KeySnapshot, Store } from '../store.ts'
import { msUp } from '../units.ts'
import { type LimiterLists, passes } from './limiter-lists.ts'

/** What a store shows of each check's key, by policy. */
export async function inspectAll(
  store: Store,
  checks: readonly LaneCheck[],
  lists?: LimiterLists,
): Promise<{ readonly [name: string]: Inspection }> {
  const sights = await Promise.all(checks.map((check) => store.manage({ op: 'inspect', check })))
  const inspections: { [name: string]: Inspection } = {}
  for (const [i, check] of checks.entries()) {
    const inspection = inspectionOf(check, sights[i] as KeySnapshot) // what a store answers to inspect
    setMember(inspections, check.lane.name, lists?.inspected(inspection, check.asked) ?? inspection)
  }
  return inspections
}

function inspectionOf(check: LaneCheck, snapshot: KeySnapshot): Inspection {
  const { row, blockedUs, banned = false, blocks = 0, entries } = snapshot
  const verdict = { ...new PolicyVerdict({ ...check, cost: 1 }, row) }
  const inspection = {
    ...verdict,
    ...(check.shadow && !verdict.allowed && { ...passes, shadow: verdict }),
    blockedMs: blockedUs === null ? null : msUp(blockedUs),
    banned,
    blocks,
    entries: entries.map(({ note, agoUs }) => ({ note, agoMs: Math.floor(agoUs / 1000) })),
  }
  return inspection as Inspection // its facts are those of one row, so reason and time agree with `allowed`
}
