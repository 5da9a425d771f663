import { resetKey, stateKey } from '../key.ts'
import { type LineOf, linePlacesOf } from '../line.ts'
import { makeRow } from '../row.ts'
import type { Change, Check, Command, HeldLease, InLine, KeySnapshot, LinePlace, Renewal } from '../store.ts'
import type { LineOutcome } from '../strategies/definition.ts'
import { eraOf, partsOf } from '../strategies/policy-parts.ts'
import {
  type CallParts,
  codeOf,
  countOf,
  keysOf,
  noCall,
  pushArguments,
  type ScriptCall,
} from './check-arguments.ts'
import type { Argument } from './connection.ts'
import { integerOf, listOf, malformed, reasonOf } from './reply.ts'

// The calls that correct, renew, line up and manage: their keys and arguments, and how their replies are read.

/** The call that corrects; see adjust.lua. */
export function adjustCall(changes: readonly Change[], parts: CallParts): ScriptCall {
  const keys = changes.map(({ check }) => stateKey(parts.prefix, check))
  const args: Argument[] = []
  for (const { check, receipt, byUnits, atLeastUs, reward } of changes) {
    const { era, own } = eraOf(check, receipt) ?? { era: '', own: receipt ?? '' }
    const givesBack = byUnits < 0 && reward !== true && era !== '' && isTraced(check)
    if (atLeastUs !== undefined) args.push('raise', atLeastUs)
    else if (byUnits < 0) args.push(reward === true ? 'reward' : 'give', -byUnits)
    else args.push('charge', byUnits)
    args.push(check.cost, own, era, givesBack ? keys.push(resetKey(parts.prefix, check)) : 0)
    args.push(codeOf(check), countOf(check))
    pushArguments(args, check, parts)
  }
  return { keys, args }
}

/** Whether a second key says since when the key of a check is counted anew. */
function isTraced({ policy, oneKey }: Check): boolean {
  return oneKey !== true && !partsOf(policy).tellsCounts
}

/** The call that renews; see renew.lua. */
export function renewCall(held: readonly HeldLease[], parts: CallParts): ScriptCall {
  const keys: string[] = []
  const args: Argument[] = []
  for (const { check, receipt } of held) {
    keys.push(stateKey(parts.prefix, check))
    args.push(check.cost, receipt, codeOf(check), countOf(check))
    pushArguments(args, check, parts, noCall)
  }
  return { keys, args }
}

const renewals: readonly Renewal[] = ['lost', 'regained', 'held']

export function readRenewals(held: readonly HeldLease[], reply: unknown): readonly Renewal[] {
  const outcomes = listOf(reply)
  if (outcomes.length !== held.length) throw malformed()
  return outcomes.map((outcome) => {
    const renewal = renewals[integerOf(outcome)]
    if (renewal === undefined) throw malformed()
    return renewal
  })
}

/** The call that lets callers stand in line; see line.lua. The first argument is for the deadline. */
export function lineCall(lines: readonly LineOf[], parts: CallParts): ScriptCall {
  const keys: string[] = []
  const args: Argument[] = [0]
  for (const { check, callers } of lines) {
    keys.push(stateKey(parts.prefix, check))
    args.push(codeOf(check), callers.length, countOf(check))
    pushArguments(args, check, parts, noCall)
    for (const caller of callers) args.push(caller.id, caller.check.cost, caller.priority, waitOf(caller))
  }
  return { keys, args }
}

/** How long a caller has waited. -1: it leaves; -2 and below: it only keeps its turn. */
function waitOf({ waitedUs, leaves, stands = false }: InLine): number {
  if (leaves) return -1
  return stands ? -2 - waitedUs : waitedUs
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

/** The call that manages one key; see manage.lua. */
export function manageCall({ op, check, us, units, later }: Command, parts: CallParts): ScriptCall {
  const args: Argument[] = [
    op,
    us ?? units ?? 0,
    later === true ? 'later' : '',
    codeOf(check),
    countOf(check),
  ]
  pushArguments(args, check, parts, noCall)
  const keys = keysOf(parts.prefix, check)
  if ((op === 'reset' || op === 'set') && isTraced(check)) keys.push(resetKey(parts.prefix, check))
  return { keys, args }
}

/** What a reply of manage.lua shows; undefined for all commands but `inspect`. */
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
