import { stateKey } from '../key.ts'
import type { Change, Check, Command, HeldLease, Question } from '../store.ts'
import { isInFlight, partsOf } from '../strategies/definition.ts'
import type { Argument } from './connection.ts'

/** What a call carries. */
export interface ScriptCall {
  readonly keys: string[]
  readonly args: Argument[]
}

/** How many arguments a check's strategy has. */
function countOf({ policy }: Check): number {
  const { definition, args } = partsOf(policy)
  return args.length + (definition.wants?.length ?? 0)
}

function codeOf({ policy }: Check): string {
  return partsOf(policy).definition.code
}

/** The strategy's arguments: its numbers, then what this call adds. */
function pushArguments(args: Argument[], { policy, note }: Check, callId: string): void {
  const { definition, args: numbers } = partsOf(policy)
  for (let i = 0; i < numbers.length; i++) args.push(numbers[i] ?? '')
  if (definition.wants === undefined) return
  for (const want of definition.wants) args.push(want === 'call' ? callId : (note ?? ''))
}

/** The script's mode. `each`: other slots may refuse, so a level that charges also answers its wait after the charge. */
function modeOf({ take, charge, others }: Question): string {
  if (!take) return 'look'
  if (charge === 'all-or-nothing') return others === undefined ? 'all' : 'none'
  return others === undefined ? 'every' : 'each'
}

function roleOf(check: Check): string {
  const role = check.shadow ? 's' : 'b'
  return isInFlight(check) ? `${role}l` : role
}

/** The call that decides questions; see decide.lua. The first argument is for the deadline. */
export function decideCall(
  questions: readonly Question[],
  { prefix, callId }: { prefix: string; callId: string },
): ScriptCall {
  const keys: string[] = []
  const args: Argument[] = [0]
  let id = callId
  for (const question of questions) {
    const width = widthOf(question.checks)
    args.push(modeOf(question), question.checks.length, width, question.maxWaitUs)
    for (const check of question.checks) {
      keys.push(stateKey(prefix, check))
      const next = args.length + width
      args.push(check.cost, codeOf(check), roleOf(check))
      pushArguments(args, check, id)
      while (args.length < next) args.push('')
    }
    // The next question may ask about the same key in the same microsecond: a suffix keeps their entries distinct.
    id += '.'
  }
  return { keys, args }
}

/** All checks of a question take as many arguments as the longest. */
function widthOf(checks: readonly Check[]): number {
  let most = 0
  for (const check of checks) most = Math.max(most, countOf(check))
  return 3 + most
}

/** The call that corrects; see adjust.lua. */
export function adjustCall(
  changes: readonly Change[],
  { prefix, callId }: { prefix: string; callId: string },
): ScriptCall {
  const keys: string[] = []
  const args: Argument[] = []
  for (const { check, receipt, byUnits, atLeastUs } of changes) {
    keys.push(stateKey(prefix, check))
    if (atLeastUs !== undefined) args.push('raise', atLeastUs)
    else if (byUnits < 0) args.push('give', -byUnits)
    else args.push('charge', byUnits)
    args.push(check.cost, receipt ?? '', codeOf(check), countOf(check))
    pushArguments(args, check, callId)
  }
  return { keys, args }
}

/** The call that renews; see renew.lua. */
export function renewCall(held: readonly HeldLease[], prefix: string): ScriptCall {
  const keys: string[] = []
  const args: Argument[] = []
  for (const { check, receipt } of held) {
    keys.push(stateKey(prefix, check))
    args.push(check.cost, receipt, codeOf(check), countOf(check))
    pushArguments(args, check, '')
  }
  return { keys, args }
}

/** The call that manages one key; see manage.lua. */
export function manageCall({ op, check, us, later }: Command, prefix: string): ScriptCall {
  const args: Argument[] = [op, us ?? 0, later === true ? 'later' : '', codeOf(check), countOf(check)]
  pushArguments(args, check, '')
  return { keys: [stateKey(prefix, check)], args }
}
