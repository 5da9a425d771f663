import { type LineOf, linePlacesOf } from '../line.ts'
import { makeRow } from '../row.ts'
import type { Change, Command, HeldLease, KeySnapshot, LinePlace, Renewal } from '../store.ts'
import type { LineOutcome } from '../strategies/definition.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import { integerOf, listOf, malformed, reasonOf } from './reply.ts'

/** adjust.lua says how many of the changes met a key. */
export function checkAdjusted(changes: readonly Change[], reply: unknown): void {
  if (integerOf(reply) > changes.length) throw malformed()
}

const renewals: readonly Renewal[] = ['lost', 'regained', 'held']

/** What a reply of renew.lua says. */
export function readRenewals(held: readonly HeldLease[], reply: unknown): readonly Renewal[] {
  const outcomes = listOf(reply)
  if (outcomes.length !== held.length) throw malformed()
  return outcomes.map((outcome) => {
    const renewal = renewals[integerOf(outcome)]
    if (renewal === undefined) throw malformed()
    return renewal
  })
}

const lineOutcomes: readonly LineOutcome[] = ['out', 'waits', 'holds']

/** What a reply of line.lua, behind its time, says to each caller. */
export function readLines(
  lines: readonly LineOf[],
  [, ...answers]: readonly unknown[],
): readonly LinePlace[] {
  if (answers.length !== lines.length) throw malformed()
  return lines.flatMap((line, i) => {
    const numbers = listOf(answers[i]).map((each) => integerOf(each))
    const [blockedUs = 0, remaining = 0, retryAfterUs = 0, resetAfterUs, ...said] = numbers
    const outcomes = said.flatMap((each) => lineOutcomes[each] ?? [])
    if (resetAfterUs === undefined || outcomes.length !== line.callers.length) throw malformed()
    return linePlacesOf(line, { blockedUs, remaining, retryAfterUs, resetAfterUs, outcomes })
  })
}

/** What a reply of manage.lua shows; nothing but of `inspect`. */
export function readManaged(command: Command, reply: unknown): KeySnapshot | undefined {
  if (command.op === 'inspect') return readSight(command, listOf(reply))
  if (integerOf(reply) !== 1) throw malformed()
  return undefined
}

const width = 8

function readSight({ check }: Command, reply: readonly unknown[]): KeySnapshot {
  if (reply.length < width || reply.length % 2 === 1) throw malformed()
  const nowUs = integerOf(reply[0])
  const reason = reasonOf(integerOf(reply[1]))
  const limit = integerOf(reply[2])
  const blockedUs = integerOf(reply[6])
  const blocks = integerOf(reply[7])
  const entries: { note: string; agoUs: number }[] = []
  for (let i = width; i < reply.length; i += 2) {
    const note = reply[i]
    if (typeof note !== 'string') throw malformed()
    entries.push({ note, agoUs: nowUs - integerOf(reply[i + 1]) })
  }
  const numbers = {
    limit: limit === 0 ? partsOf(check.policy).units : limit,
    remaining: integerOf(reply[3]),
    retryAfterUs: integerOf(reply[4], -1),
    resetAfterUs: integerOf(reply[5]),
  }
  return {
    row: makeRow(numbers, reason, ''),
    blockedUs: blockedUs === 0 ? null : blockedUs,
    banned: reason === 'banned',
    blocks,
    entries,
  }
}
