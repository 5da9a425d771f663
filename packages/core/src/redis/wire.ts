import { blocksKey, resetKey, stateKey } from '../key.ts'
import type { LineOf } from '../line.ts'
import { eraOf } from '../row.ts'
import type { Change, Check, Command, HeldLease, InLine, Question } from '../store.ts'
import { blockText } from '../strategies/block-for.ts'
import type { Calendar } from '../strategies/definition.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import type { Argument } from './script.ts'

/** What a call carries. */
export interface ScriptCall {
  readonly keys: string[]
  readonly args: Argument[]
}

/** How many arguments a check's strategy has. */
function countOf({ policy }: Check): number {
  const { definition, args, calendar } = partsOf(policy)
  const ends = calendar === undefined ? 0 : calendarEnds
  return args.length + ends + (definition.wants?.length ?? 0)
}

/** Whether a call gets a second key of this check, at which its blocks are counted. */
function countsBlocks({ policy, oneKey }: Check): boolean {
  return oneKey !== true && partsOf(policy).countsBlocks
}

/** The keys of one check. */
function keysOf(prefix: string, check: Check): string[] {
  const key = stateKey(prefix, check)
  return countsBlocks(check) ? [key, blocksKey(prefix, check)] : [key]
}

function codeOf({ policy }: Check): string {
  return partsOf(policy).definition.code
}

/** A mark of a call that no other has; made where a strategy wants it. */
export type NextCall = () => string

/** What a call says beside its checks. */
export interface CallParts {
  readonly prefix: string
  readonly nextCall: NextCall
  /** The time of the server that holds a key, as far as it is known. */
  serverUs(key: string): number
}

/** How many ends of a calendar a script gets. */
const calendarEnds = 3

/**
 * The end before an instant and the two after it. A script takes the first that lies ahead of its own clock, so that they are right
 * while the two clocks differ by less than a window.
 */
function pushEnds(args: Argument[], calendar: Calendar, nowUs: number): void {
  const { startUs, endUs } = calendar.windowAt(nowUs)
  args.push(startUs, endUs, calendar.windowAt(endUs).endUs)
}

/** The numbers of a strategy, and of its calendar. */
function pushNumbers(args: Argument[], check: Check, { prefix, serverUs }: CallParts): void {
  const { args: numbers, calendar } = partsOf(check.policy)
  for (let i = 0; i < numbers.length; i++) args.push(numbers[i] ?? '')
  if (calendar !== undefined) pushEnds(args, calendar, serverUs(stateKey(prefix, check)))
}

/** The strategy's arguments: its numbers, then what this call adds. */
function pushArguments(args: Argument[], check: Check, parts: CallParts, nextCall = parts.nextCall): void {
  pushNumbers(args, check, parts)
  const { policy, note } = check
  const { definition } = partsOf(policy)
  if (definition.wants === undefined) return
  for (const want of definition.wants) args.push(want === 'call' ? nextCall() : (note ?? ''))
}

function noCall(): string {
  return ''
}

/** The script's mode. `each`: other slots may refuse, so a level that charges also answers its wait after the charge. */
function modeOf({ take, charge, others, upTo }: Question): string {
  if (!take) return 'look'
  if (upTo !== undefined) return 'some'
  if (charge === 'all-or-nothing') return others === undefined ? 'all' : 'none'
  return others === undefined ? 'every' : 'each'
}

/** Whether it binds, and how its policy blocks. An argument behind those of the strategy says which key counts the blocks. */
function roleOf(check: Check): string {
  const role = check.shadow ? 's' : 'b'
  const { inFlight, blocking } = partsOf(check.policy)
  if (blocking !== undefined)
    return role + blockText(blocking, countsBlocks(check) ? 3 + countOf(check) : undefined)
  return inFlight ? `${role}l` : role
}

/** The call that decides one question of one check; see decideOne.lua. The first argument is for the deadline. */
export function decideOneCall(question: Question, check: Check, parts: CallParts): ScriptCall {
  const args: Argument[] = [0, modeOf(question), question.maxWaitUs, check.cost, codeOf(check), roleOf(check)]
  pushArguments(args, check, parts)
  if (countsBlocks(check)) args.push(1)
  return { keys: keysOf(parts.prefix, check), args }
}

/** The same where all but the key and the deadline is in the script's text. */
export function constantCall(check: Check, { prefix }: CallParts): ScriptCall {
  return { keys: [stateKey(prefix, check)], args: [0] }
}

/** The same for several questions of a limiter; see admitMany.lua. The arguments are for the deadlines. */
export function constantManyCall(
  batch: readonly { readonly question: Question }[],
  { prefix }: CallParts,
): ScriptCall {
  const keys: string[] = []
  for (const { question } of batch) for (const check of question.checks) keys.push(stateKey(prefix, check))
  return { keys, args: [0, ''] }
}

/** What several questions of one call may have in common: all but their keys, and what their strategies want of each. */
export interface Form {
  readonly question: Question
  /** Where it begins among the arguments, counted from 1. */
  readonly at: number
  /** How many arguments each question has of its own. */
  readonly owns: number
  /** Whether one of these says which key counts blocks. */
  readonly counts: boolean
}

/** Adds a form to the arguments; see decide.lua. */
export function pushForm(args: Argument[], question: Question, parts: CallParts): Form {
  const { checks } = question
  const [at, width] = [args.length + 1, widthOf(checks)]
  const places: number[] = []
  const counts: number[] = []
  args.push(modeOf(question), checks.length, width, question.upTo ?? question.maxWaitUs, 0)
  for (const check of checks) {
    const next = args.length + width
    args.push(check.cost, codeOf(check), roleOf(check))
    pushNumbers(args, check, parts)
    for (const _ of partsOf(check.policy).definition.wants ?? []) {
      args.push('')
      places.push(args.length)
    }
    if (countsBlocks(check)) {
      args.push('')
      counts.push(args.length)
    }
    while (args.length < next) args.push('')
  }
  places.push(...counts)
  args[at + 3] = places.length
  for (const place of places) args.push(place)
  return { question, at, owns: places.length, counts: counts.length > 0 }
}

/** Adds what the strategies want of this question alone. */
export function pushOwn(args: Argument[], checks: readonly Check[], nextCall: NextCall): void {
  for (const { policy, note } of checks) {
    const { wants } = partsOf(policy).definition
    if (wants !== undefined) for (const want of wants) args.push(want === 'call' ? nextCall() : (note ?? ''))
  }
}

/** Adds the keys that count blocks to `keys`, and for each its place from the end of all keys, as they go there in reverse order. */
export function pushCounts(
  args: Argument[],
  checks: readonly Check[],
  { prefix, keys }: { prefix: string; keys: string[] },
): void {
  for (const check of checks) if (countsBlocks(check)) args.push(keys.push(blocksKey(prefix, check)))
}

/** true where the questions differ in their keys and notes only. */
export function isAlike(a: Question, b: Question): boolean {
  if (a.checks.length !== b.checks.length || a.maxWaitUs !== b.maxWaitUs) return false
  if (a.take !== b.take || a.charge !== b.charge || a.others !== b.others || a.upTo !== b.upTo) return false
  for (let i = 0; i < a.checks.length; i++) {
    const [one, other] = [a.checks[i], b.checks[i]]
    if (one?.policy !== other?.policy || one?.cost !== other?.cost || one?.shadow !== other?.shadow)
      return false
  }
  return true
}

/** All checks of a question take as many arguments as the longest. */
function widthOf(checks: readonly Check[]): number {
  let most = 0
  for (const check of checks) most = Math.max(most, countOf(check) + (countsBlocks(check) ? 1 : 0))
  return 3 + most
}

/** The call that corrects; see adjust.lua. */
export function adjustCall(changes: readonly Change[], parts: CallParts): ScriptCall {
  const keys = changes.map(({ check }) => stateKey(parts.prefix, check))
  const args: Argument[] = []
  for (const { check, receipt, byUnits, atLeastUs, reward } of changes) {
    const { era, own } = eraOf(receipt ?? '')
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

/** How long a caller has waited, and below 0 that it leaves, or only stands there. */
function waitOf({ waitedUs, leaves, stands = false }: InLine): number {
  if (leaves) return -1
  return stands ? -2 - waitedUs : waitedUs
}

/** Whether a second key says since when that of a check is counted anew. */
function isTraced({ policy, oneKey }: Check): boolean {
  return oneKey !== true && !partsOf(policy).tellsCounts
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
