import type { MaybeChosen } from './common-options.ts'
import { type StrategyDraft, slipUs } from './definition.ts'
import {
  lastUs,
  lookAtRates,
  type Mixed,
  othersAfter,
  othersUntil,
  type Rate,
  type Seen,
  seenBy,
} from './mixed-rates.ts'

export interface Numbers extends MaybeChosen {
  /** Time that one unit costs: the emission interval T. */
  readonly intervalUs: number
  readonly capacity: number
  /** capacity · interval: how far ahead a check may move the theoretical arrival time. */
  readonly toleranceUs: number
  readonly maxDebtUs: number
}

export interface State {
  /** Theoretical arrival time (TAT): when the full limit is available again. */
  tatUs: number
  /** Time given back so far, while it matters. */
  backUs: number
  /** Time that each of its units has cost. */
  intervalUs: number
  /** Once policies were chosen for calls: the charges at other rates. */
  mixed: Mixed | undefined
}

/** A draft contains the state after a take. A class for the same reason as RowShape. */
export class GcraDraft implements StrategyDraft, State {
  declare allowed: boolean
  declare limit: number
  declare remaining: number
  declare retryAfterUs: number | null
  declare resetAfterUs: number
  declare tatUs: number
  declare backUs: number
  declare intervalUs: number
  declare mixed: Mixed | undefined
}

/** The furthest TAT: the tolerance and the largest debt ahead of now. */
export function horizonOf(numbers: Numbers, nowUs: number): number {
  return nowUs + numbers.toleranceUs + numbers.maxDebtUs
}

/** Time given back so far that still matters. */
export function backOf(state: State | undefined, nowUs: number): number {
  return state === undefined || state.tatUs + state.backUs <= nowUs ? 0 : state.backUs
}

export function isMixed(numbers: Numbers, state: State): boolean {
  return numbers.chosen === true || state.mixed !== undefined
}

/** A microsecond that has passed pays for one of the `intervalUs` parts of a unit. */
export function rateOf({ intervalUs }: Numbers): Rate {
  return { flow: 1, parts: intervalUs }
}

/** What is stored, as a call with these numbers sees it. */
export function seen(numbers: Numbers, state: State, nowUs: number): Seen {
  const main = { untilUs: state.tatUs, flow: 1, parts: state.intervalUs }
  return seenBy(rateOf(numbers), main, state.mixed, nowUs)
}

/** How far ahead charges may lie: as far as any of the numbers let them. */
function reachOf(numbers: Numbers, { mixed, tatUs }: State, nowUs: number): number {
  return Math.max(mixed?.reachUs ?? tatUs - nowUs, horizonOf(numbers, 0))
}

export function lookMixed(numbers: Numbers, state: State, nowUs: number, cost: number): GcraDraft {
  const { intervalUs, toleranceUs, capacity: limit } = numbers
  const { mineUs, others } = seen(numbers, state, nowUs)
  const { allowed, remaining, retryAfterUs, resetAfterUs, used } = lookAtRates(
    rateOf(numbers),
    { used: mineUs - nowUs, others },
    { cost, nowUs, full: toleranceUs, most: horizonOf(numbers, 0) },
  )
  const backUs = state.intervalUs === intervalUs ? backOf(state, nowUs) : 0
  const mixed = { others, reachUs: reachOf(numbers, state, nowUs) }
  const tatUs = nowUs + used
  return { allowed, limit, remaining, retryAfterUs, resetAfterUs, tatUs, backUs, intervalUs, mixed }
}

/** Gives units back: first those that were charged at the call's own rate, then those at others. */
export function rewardMixed(numbers: Numbers, state: State, units: number, nowUs: number): State {
  const { intervalUs } = numbers
  const { mineUs, others } = seen(numbers, state, nowUs)
  const restoredUs = Math.min(units * intervalUs, mineUs - nowUs)
  const rest = othersAfter(others, units - Math.ceil(restoredUs / intervalUs), nowUs)
  const backUs = (state.intervalUs === intervalUs ? backOf(state, nowUs) : 0) + restoredUs
  return {
    tatUs: mineUs - restoredUs,
    backUs,
    intervalUs,
    mixed: { others: rest, reachUs: reachOf(numbers, state, nowUs) },
  }
}

/** Repairs a state after a step back of the clock: no charge lies further ahead than any of the numbers allow. */
export function repairMixed(numbers: Numbers, state: State, mixed: Mixed, nowUs: number): State {
  const furthestUs = Math.max(nowUs + mixed.reachUs, horizonOf(numbers, nowUs))
  const latestUs = furthestUs + slipUs
  if (state.tatUs <= latestUs && lastUs(mixed) <= latestUs) return state
  return { ...state, tatUs: Math.min(state.tatUs, furthestUs), mixed: othersUntil(mixed, furthestUs) }
}

/** `mixed` of a key's first charge; undefined unless the policy was chosen for the call. */
export function mixedAtFirst(numbers: Numbers): Mixed | undefined {
  return numbers.chosen === true ? { others: [], reachUs: horizonOf(numbers, 0) } : undefined
}
