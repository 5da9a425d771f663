import type { Inspection } from '../decision.ts'
import { storeError } from '../errors.ts'
import type { Sight, Store } from '../store.ts'
import { msUp } from '../units.ts'
import type { NamedCheck, Origin } from './decided.ts'
import { decisionOf } from './fold.ts'
import { setMember } from './members.ts'

/** What a store shows of each check's key, by policy. */
export async function inspectAll(
  origin: Origin & { readonly store: Store },
  checks: readonly NamedCheck[],
): Promise<{ readonly [name: string]: Inspection }> {
  const sights = await Promise.all(checks.map((check) => origin.store.manage({ op: 'inspect', check })))
  const inspections: { [name: string]: Inspection } = {}
  for (const [i, check] of checks.entries()) {
    setMember(inspections, check.name, inspectionOf(origin, check, sights[i] as Sight)) // what a store answers to inspect
  }
  return inspections
}

function inspectionOf(origin: Origin, check: NamedCheck, { row, blockedUs, entries }: Sight): Inspection {
  const seen = decisionOf(origin, [{ ...check, cost: 0, shadow: false }], [row]).verdicts[check.name]
  if (seen === undefined) throw storeError(origin.storeName, 'the store showed nothing')
  return {
    ...seen,
    blockedMs: blockedUs === null ? null : msUp(blockedUs),
    entries: entries.map(({ note, agoUs }) => ({ note, agoMs: Math.floor(agoUs / 1000) })),
  }
}
