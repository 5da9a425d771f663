import type { MaybeChosen } from './common-options.ts'
import { type StrategyDraft, slipUs } from './definition.ts'
import {
  isSameRate,
  lastUs,
  lookAtRates,
  type Mixed,
  otherParts,
  othersAfter,
  othersUntil,
  type Rate,
  seenBy,
} from './mixed-rates.ts'
import { cutAgain } from './window.ts'

export interface Numbers extends Rate, MaybeChosen {
  readonly capacity: number
  readonly empty: boolean
  readonly maxDebtUs: number
}

/** Parts used as of `atUs`; `back`: parts given back so far, while that matters. */
export interface State {
  used: number
  atUs: number
  parts: number
  back: number
  /** How many of these parts drain each µs, by the numbers that wrote the state. */
  flow: number
  /** Once policies were chosen for calls: the charges at other rates. */
  mixed: Mixed | undefined
  /** Set if other numbers have charged the key, or cut off what was charged: until when earlier receipts would have been valid. */
  cutUs?: number | undefined
}

/** A draft contains the state after a take, as of the take. */
export interface BucketDraft extends StrategyDraft, Readonly<Omit<State, 'atUs'>> {}

const oneMinuteUs = 60_000_000

export function fullOf({ capacity, parts }: Numbers): number {
  return capacity * parts
}

export function mostOf(numbers: Numbers): number {
  return fullOf(numbers) + numbers.maxDebtUs * numbers.flow
}

/** Parts used as of the state's time, converted to the parts of these numbers. */
function usedOf({ parts }: Numbers, state: State): number {
  return state.parts === parts ? state.used : Math.ceil((state.used * parts) / state.parts)
}

/**
 * A bucket that started empty is kept for twice its fill time, at least a minute (clients may wait in whole seconds),
 * plus any debt; after that it starts empty again.
 */
function emptyLifeUs(numbers: Numbers, state: State): number {
  const full = fullOf(numbers)
  const debt = Math.max(0, usedOf(numbers, state) - full)
  return Math.max(2 * Math.ceil(full / numbers.flow), oneMinuteUs) + Math.ceil(debt / numbers.flow)
}

/** Whether a bucket that started empty has been idle long enough to start empty again. */
export function startsAnew(numbers: Numbers, state: State, nowUs: number): boolean {
  return numbers.empty && lifeUs(numbers, state, nowUs) <= 0
}

/** Whether policies were chosen for calls on this key. */
export function isMixed(numbers: Numbers, state: State): boolean {
  return numbers.chosen === true || state.mixed !== undefined
}

/** How long the state matters. A bucket that starts empty is kept for so long that hardly any cut outlasts it. */
export function idleUs(numbers: Numbers, state: State, nowUs: number): number {
  return Math.max(lifeUs(numbers, state, nowUs), numbers.empty ? 0 : (state.cutUs ?? 0) - nowUs)
}

/** When the state has drained at the rate that wrote it, with what was given back so far. */
function goneUs({ atUs, used, back, flow }: State): number {
  return atUs + Math.ceil((used + back) / flow)
}

export function cutOff(state: State): number {
  return cutAgain(state, goneUs(state))
}

/** The cut after a charge by these numbers, while it matters. */
export function cutOf(numbers: Numbers, state: State | undefined, nowUs: number): number | undefined {
  if (state === undefined) return undefined
  // A bucket that starts empty is kept for so long that hardly any charge at another rate outlasts it.
  if (!numbers.empty && !isMixed(numbers, state) && !isSameRate(numbers, state)) return cutOff(state)
  return keptCut(state, nowUs)
}

/** The cut of a state, while it matters. */
export function keptCut({ cutUs }: State, nowUs: number): number | undefined {
  return cutUs !== undefined && cutUs > nowUs ? cutUs : undefined
}

function lifeUs(numbers: Numbers, state: State, nowUs: number): number {
  const { used, atUs, back, flow, mixed } = state
  const ownUs = numbers.empty ? emptyLifeUs(numbers, state) : Math.ceil((used + back) / numbers.flow)
  // What another rate has charged drains at that rate.
  const chargedUs = isMixed(numbers, state) ? Math.ceil((used + back) / flow) : 0
  return Math.max(atUs + Math.max(ownUs, chargedUs), lastUs(mixed)) - nowUs
}

/** Parts used and given back, as of now. */
export function drain(
  numbers: Numbers,
  state: State | undefined,
  nowUs: number,
): { used: number; back: number } {
  if (state === undefined || startsAnew(numbers, state, nowUs))
    return { used: numbers.empty ? fullOf(numbers) : 0, back: 0 }
  // Only the cut has kept the state: a slower rate must not count its units for longer.
  if (!numbers.empty && goneUs(state) <= nowUs) return { used: 0, back: 0 }
  const used = usedOf(numbers, state)
  const back = state.parts === numbers.parts ? state.back : 0
  const elapsedUs = nowUs - state.atUs
  // The clock has stepped back: add what drains until that time comes again.
  if (elapsedUs < 0) return { used: used - elapsedUs * numbers.flow, back: used + back <= 0 ? 0 : back }
  const drained = elapsedUs * numbers.flow
  return { used: Math.max(0, used - drained), back: used + back <= drained ? 0 : back }
}

function horizonUs(numbers: Numbers): number {
  return Math.ceil(mostOf(numbers) / numbers.flow)
}

/** `mixed` of a key's first charge; undefined unless the policy was chosen for the call. */
export function chosenAtFirst(numbers: Numbers): Mixed | undefined {
  return numbers.chosen ? { others: [], reachUs: horizonUs(numbers) } : undefined
}

function drainedAtUs({ used, atUs, flow }: State): number {
  return atUs + Math.ceil(used / flow)
}

/** A state as a call sees it: parts that were charged at its own rate, and the charges at others. */
function seen(
  numbers: Numbers,
  state: State,
  nowUs: number,
): Pick<State & Mixed, 'used' | 'back' | 'others'> {
  const main = { untilUs: drainedAtUs(state), flow: state.flow, parts: state.parts }
  const { mineUs, others } = seenBy(numbers, main, state.mixed, nowUs)
  if (isSameRate(numbers, state)) return { ...drain(numbers, state, nowUs), others }
  return { used: (mineUs - nowUs) * numbers.flow, back: 0, others }
}

/** How far ahead charges may lie: as far as any of the numbers let them. */
function reachOf(numbers: Numbers, state: State, nowUs: number): number {
  return Math.max(state.mixed?.reachUs ?? drainedAtUs(state) - nowUs, horizonUs(numbers))
}

/** How many parts the charges at other rates take up. */
export function roomTaken(numbers: Numbers, state: State, nowUs: number): number {
  return state.mixed === undefined ? 0 : otherParts(seen(numbers, state, nowUs).others, numbers, nowUs)
}

export function lookMixed(numbers: Numbers, state: State, nowUs: number, cost: number): BucketDraft {
  const { flow, parts, capacity: limit } = numbers
  const before = seen(numbers, state, nowUs)
  const { back, others } = before
  const about = { cost, nowUs, full: fullOf(numbers), most: mostOf(numbers) }
  const { allowed, remaining, retryAfterUs, resetAfterUs, used } = lookAtRates(numbers, before, about)
  const mixed = { others, reachUs: reachOf(numbers, state, nowUs) }
  const cutUs = cutOf(numbers, state, nowUs)
  return { allowed, limit, remaining, retryAfterUs, resetAfterUs, used, parts, back, flow, mixed, cutUs }
}

/** Gives units back: first those that were charged at the call's own rate, then those at others. */
export function rewardMixed(numbers: Numbers, state: State, units: number, nowUs: number): State {
  const { flow, parts } = numbers
  const { used, back, others } = seen(numbers, state, nowUs)
  const restored = Math.min(units * parts, used)
  const rest = othersAfter(others, units - Math.ceil(restored / parts), nowUs)
  const mixed = { others: rest, reachUs: reachOf(numbers, state, nowUs) }
  const cutUs = cutOf(numbers, state, nowUs)
  return { used: used - restored, atUs: nowUs, parts, back: back + restored, flow, mixed, cutUs }
}

/** Repairs a state after a step back of the clock: no charge lies further ahead than any of the numbers allow. */
export function repairMixed(numbers: Numbers, state: State, mixed: Mixed, nowUs: number): State {
  const reachUs = Math.max(mixed.reachUs, horizonUs(numbers))
  const most = reachUs * state.flow
  const furthestUs = nowUs + reachUs
  const drained = Math.max(0, nowUs - state.atUs) * state.flow
  const used = Math.max(0, state.used - drained)
  const isAhead = state.atUs > nowUs + slipUs || used > most + slipUs * state.flow
  if (!isAhead && lastUs(mixed) <= furthestUs + slipUs) return state
  const back = state.used + state.back <= drained ? 0 : state.back
  return { ...state, used: Math.min(used, most), atUs: nowUs, back, mixed: othersUntil(mixed, furthestUs) }
}
