import { blocksKey, stateKey } from '../key.ts'
import type { Check, Question, StoreRows } from '../store.ts'
import { blockText } from '../strategies/block-for.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import {
  type CallParts,
  codeOf,
  countOf,
  countsBlocks,
  keysOf,
  pushArguments,
  pushNumbers,
  pushWanted,
  type ScriptCall,
} from './check-arguments.ts'
import type { Argument, Script } from './connection.ts'
import { integerOf, listOf } from './reply.ts'
import { type LoneCheck, PackedRows, readOne } from './rows.ts'

// The calls that decide: their keys and arguments, and how their replies are read.

export interface Asked {
  readonly question: Question
}

/** The script's mode. `each`: other slots may refuse, so a level that charges also answers its wait after the charge. */
function modeOf({ take, charge, others, upTo }: Question): string {
  if (!take) return 'look'
  if (upTo !== undefined) return 'some'
  if (charge === 'all-or-nothing') return others === undefined ? 'all' : 'none'
  return others === undefined ? 'every' : 'each'
}

/** Whether the check binds, and how its policy blocks. An argument behind those of the strategy says which key counts the blocks. */
function roleOf(check: Check): string {
  const role = check.shadow ? 's' : 'b'
  const { inFlight, blocking } = partsOf(check.policy)
  if (blocking !== undefined)
    return role + blockText(blocking, countsBlocks(check) ? 3 + countOf(check) : undefined)
  return inFlight ? `${role}l` : role
}

/** What several questions of one call may have in common: all but their keys, and what their strategies want to know of each question. */
interface Form {
  readonly question: Question
  /** The place of its first argument, counted from 1. */
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

/** Adds the keys that count blocks to `keys`, and each key's place to `args`, counted from the end of all keys: their order is reversed. */
function pushCounts(
  args: Argument[],
  checks: readonly Check[],
  { prefix, keys }: { prefix: string; keys: string[] },
): void {
  for (const check of checks) if (countsBlocks(check)) args.push(keys.push(blocksKey(prefix, check)))
}

/** Whether the questions differ only in their keys and notes. */
function isAlike(a: Question, b: Question): boolean {
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

/** The first arguments: until when the call takes, which questions have longer, and where runs and the questions' own arguments begin. */
const head: readonly Argument[] = [0, '', 0, 0]
/** How many of the latest forms are searched for one that fits the next question. */
const formsLookedAt = 16

/** The call that decides several questions; see decide.lua. The first two arguments are for the deadlines. */
export function batchCall(
  batch: readonly Asked[],
  parts: CallParts,
): ScriptCall & { readonly forms: readonly Form[] } {
  const keys: string[] = []
  const args: Argument[] = [...head]
  const forms: Form[] = []
  const runs: number[] = []
  const own: Argument[] = []
  const counts: string[] = []
  for (const { question } of batch) {
    let form = likeOf(forms, question)
    if (form === undefined) {
      form = pushForm(args, question, parts)
      forms.push(form)
    }
    const last = runs.length - 2
    if (runs[last] === form.at) runs[last + 1] = (runs[last + 1] ?? 0) + 1
    else runs.push(form.at, 1)
    for (const check of question.checks) keys.push(stateKey(parts.prefix, check))
    if (form.owns > 0) for (const check of question.checks) pushWanted(own, check, parts.nextCall)
    if (form.counts) pushCounts(own, question.checks, { prefix: parts.prefix, keys: counts })
  }
  args[2] = args.length + 1
  for (const run of runs) args.push(run)
  args[3] = args.length + 1
  for (const each of own) args.push(each)
  for (let i = counts.length - 1; i >= 0; i--) keys.push(counts[i] ?? '')
  return { keys, args, forms }
}

function likeOf(forms: readonly Form[], question: Question): Form | undefined {
  for (let i = forms.length - 1; i >= 0 && i >= forms.length - formsLookedAt; i--) {
    const form = forms[i]
    if (form !== undefined && isAlike(form.question, question)) return form
  }
  return undefined
}

/** What became of a question: its rows; `late`, as it came too late and took nothing; or the failure of this question alone. */
export type Outcome = StoreRows | 'late' | Error

/** What a reply says: when it was made, by the server's clock, and what became of each question. */
export interface Said {
  readonly serverUs: number
  readonly outcomes: readonly Outcome[]
  /** How long a check took on the server. @default 0: not measured */
  readonly checkUs?: number
}

export interface DecideCall extends ScriptCall {
  readonly script: Script
  read(reply: unknown): Said
}

/** What a reply of decideOne.lua says. */
export function readLone(asked: LoneCheck, reply: unknown): Said {
  const values = listOf(reply)
  const serverUs = integerOf(values[0])
  return { serverUs, outcomes: [values.length === 1 ? 'late' : readOne(asked, values)] }
}

/** The call for one question of one check; see decideOne.lua. The first argument is for the deadline. */
export class OneCall implements DecideCall {
  declare readonly script: Script
  declare readonly keys: string[]
  declare readonly args: Argument[]
  declare readonly asked: LoneCheck

  constructor(script: Script, asked: LoneCheck, parts: CallParts) {
    const { question, check } = asked
    const { maxWaitUs } = question
    const args: Argument[] = [0, modeOf(question), maxWaitUs, check.cost, codeOf(check), roleOf(check)]
    pushArguments(args, check, parts)
    if (countsBlocks(check)) args.push(1)
    this.script = script
    this.keys = keysOf(parts.prefix, check)
    this.args = args
    this.asked = asked
  }

  read(reply: unknown): Said {
    return readLone(this.asked, reply)
  }
}

/** The call for a question of several checks, or for several questions. */
export class BatchCall implements DecideCall {
  readonly script: Script
  readonly keys: string[]
  readonly args: Argument[]
  readonly #batch: readonly Asked[]

  constructor(script: Script, { keys, args }: ScriptCall, batch: readonly Asked[]) {
    this.script = script
    this.keys = keys
    this.args = args
    this.#batch = batch
  }

  read(reply: unknown): Said {
    const values = listOf(reply)
    const serverUs = integerOf(values[0])
    const spentUs = integerOf(values[1])
    const rows = new PackedRows(values)
    const outcomes = this.#batch.map(({ question }) => rows.next(question))
    rows.end()
    return { serverUs, outcomes, checkUs: spentUs / this.keys.length }
  }
}
