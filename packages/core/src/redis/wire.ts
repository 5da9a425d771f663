import { makeRow } from '../row.ts'
import type { Change, Check, Command, Question, Reason, Row, Rows, Sight } from '../store.ts'
import { partsOf } from '../strategies/definition.ts'
import type { Argument } from './connection.ts'

/** What a call carries. */
export interface Call {
  readonly keys: string[]
  readonly args: Argument[]
}

/** The state's name. The braces choose the cluster slot; the key in them has none of its own. */
function stateKey(prefix: string, { id, key }: Check): string {
  return `${prefix}{${key}}:${id}`
}

/** The strategy's code, how many arguments follow, and they: the numbers, then what this call adds. */
function pushStrategy(args: Argument[], { policy, note }: Check, callId: string): void {
  const { definition, args: numbers } = partsOf(policy)
  const wants = definition.wants
  args.push(definition.code ?? definition.name, numbers.length + (wants?.length ?? 0))
  for (let i = 0; i < numbers.length; i++) args.push(numbers[i] ?? '')
  if (wants === undefined) return
  for (const want of wants) args.push(want === 'call' ? callId : (note ?? ''))
}

function modeOf({ take, charge }: Question): string {
  if (!take) return 'look'
  return charge === 'every-level' ? 'every' : 'all'
}

function rolesOf(checks: readonly Check[]): string {
  if (checks.length === 1) return 'b'
  let roles = ''
  for (let i = 0; i < checks.length; i++) roles += checks[i]?.shadow === true ? 's' : 'b'
  return roles
}

/** The call that decides questions; see decide.lua. */
export function decideCall(
  questions: readonly Question[],
  { prefix, notAfterUs, callId }: { prefix: string; notAfterUs: number; callId: string },
): Call {
  const keys: string[] = []
  const args: Argument[] = [notAfterUs]
  let id = callId
  for (const question of questions) {
    args.push(modeOf(question), rolesOf(question.checks))
    for (const check of question.checks) {
      keys.push(stateKey(prefix, check))
      args.push(check.cost)
      pushStrategy(args, check, id)
    }
    // The next question may ask about the same key in the same microsecond: their entries are told apart.
    id += '.'
  }
  return { keys, args }
}

const width = 6
const reasons: readonly (Reason | null)[] = [null, 'limited', 'blocked', 'too-costly']

/** What a reply of decide.lua says: rows in the order of the checks. */
export function readRows(questions: readonly Question[], reply: readonly unknown[]): readonly Rows[] {
  const answers: Rows[] = []
  let at = 1
  for (const { checks } of questions) {
    const rows: Row[] = new Array(checks.length)
    for (let i = checks.length - 1; i >= 0; i--, at += width) {
      const check = checks[i]
      if (check !== undefined) rows[i] = readRow(reply, at, check)
    }
    answers.push(rows)
  }
  return answers
}

function readRow(reply: readonly unknown[], at: number, { policy }: Check): Row {
  const [status, limit, remaining, waitUs, resetUs] = [
    reply[at],
    reply[at + 1],
    reply[at + 2],
    reply[at + 3],
    reply[at + 4],
  ]
  const receipt = reply[at + 5]
  const numbers = {
    limit: Number(limit) === 0 ? policy.limit : Number(limit),
    remaining: Number(remaining),
    retryAfterUs: Number(waitUs),
    resetAfterUs: Number(resetUs),
  }
  const taken = typeof receipt === 'string' || (typeof receipt === 'number' && receipt !== 0)
  return makeRow(numbers, reasons[Number(status)] ?? null, taken ? receipt : '')
}

/** The call that corrects; see adjust.lua. */
export function adjustCall(
  changes: readonly Change[],
  { prefix, callId }: { prefix: string; callId: string },
): Call {
  const keys: string[] = []
  const args: Argument[] = []
  for (const { check, receipt, byUnits, atLeastUs } of changes) {
    keys.push(stateKey(prefix, check))
    if (atLeastUs !== undefined) args.push('raise', atLeastUs)
    else if (byUnits < 0) args.push('give', -byUnits)
    else args.push('charge', byUnits)
    args.push(check.cost, receipt ?? '')
    pushStrategy(args, check, callId)
  }
  return { keys, args }
}

/** The call that manages one key; see manage.lua. */
export function manageCall({ op, check, us, later }: Command, prefix: string): Call {
  const args: Argument[] = [op, us ?? 0, later === true ? 'later' : '']
  pushStrategy(args, check, '')
  return { keys: [stateKey(prefix, check)], args }
}

/** What manage.lua's reply to `inspect` shows. */
export function readSight({ check }: Command, reply: readonly unknown[]): Sight {
  const [nowUs = 0, limit = 0, remaining = 0, , resetAfterUs = 0, blockedUs = 0] = reply
    .slice(0, width)
    .map(Number)
  const entries: { note: string; agoUs: number }[] = []
  for (let i = width; i < reply.length; i += 2) {
    entries.push({ note: String(reply[i]), agoUs: nowUs - Number(reply[i + 1]) })
  }
  const numbers = {
    limit: limit === 0 ? check.policy.limit : limit,
    remaining,
    retryAfterUs: 0,
    resetAfterUs,
  }
  return { row: makeRow(numbers, null, ''), blockedUs: blockedUs === 0 ? null : blockedUs, entries }
}
