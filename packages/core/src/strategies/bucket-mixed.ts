import { type BucketDraft, cutOf, drain, fullOf, mostOf, type Numbers, type State } from './bucket-state.ts'
import { slipUs } from './definition.ts'
import {
  isSameRate,
  lastUs,
  lookAtRates,
  type Mixed,
  otherParts,
  othersAfter,
  othersUntil,
  seenBy,
} from './mixed-rates.ts'

function horizonUs(numbers: Numbers): number {
  return Math.ceil(mostOf(numbers) / numbers.flow)
}

/** `mixed` of a key's first charge; undefined unless the policy was chosen for the call. */
export function chosenAtFirst(numbers: Numbers): Mixed | undefined {
  return numbers.chosen === true ? { others: [], reachUs: horizonUs(numbers) } : undefined
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
