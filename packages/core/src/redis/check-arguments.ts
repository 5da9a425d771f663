import { blocksKey, stateKey } from '../key.ts'
import type { Check } from '../store.ts'
import type { Calendar } from '../strategies/definition.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import type { Argument } from './connection.ts'

export interface ScriptCall {
  readonly keys: string[]
  readonly args: Argument[]
}

/** How many arguments a check's strategy has. */
export function countOf({ policy }: Check): number {
  const { definition, args, calendar } = partsOf(policy)
  const ends = calendar === undefined ? 0 : calendarEnds
  return args.length + ends + (definition.wants?.length ?? 0)
}

/** Whether a call gets a second key of this check, at which its blocks are counted. */
export function countsBlocks({ policy, oneKey }: Check): boolean {
  return oneKey !== true && partsOf(policy).countsBlocks
}

export function keysOf(prefix: string, check: Check): string[] {
  const key = stateKey(prefix, check)
  return countsBlocks(check) ? [key, blocksKey(prefix, check)] : [key]
}

export function codeOf({ policy }: Check): string {
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

export function pushNumbers(args: Argument[], check: Check, { prefix, serverUs }: CallParts): void {
  const { args: numbers, calendar } = partsOf(check.policy)
  for (let i = 0; i < numbers.length; i++) args.push(numbers[i] ?? '')
  if (calendar !== undefined) pushEnds(args, calendar, serverUs(stateKey(prefix, check)))
}

/** The strategy's arguments: its numbers, then what this call adds. */
export function pushArguments(
  args: Argument[],
  check: Check,
  parts: CallParts,
  nextCall: NextCall = parts.nextCall,
): void {
  pushNumbers(args, check, parts)
  pushWanted(args, check, nextCall)
}

/** What the strategy wants to know of this call alone. */
export function pushWanted(args: Argument[], { policy, note }: Check, nextCall: NextCall): void {
  const { wants } = partsOf(policy).definition
  if (wants !== undefined) for (const want of wants) args.push(want === 'call' ? nextCall() : (note ?? ''))
}

export function noCall(): string {
  return ''
}
