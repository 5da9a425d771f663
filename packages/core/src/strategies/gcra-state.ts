import type { StrategyDraft } from './definition.ts'
import type { Mixed } from './held.ts'

export interface Numbers {
  /** Time that one unit costs: the emission interval T. */
  readonly intervalUs: number
  readonly capacity: number
  /** capacity · interval: how far ahead a check may move the theoretical arrival time. */
  readonly toleranceUs: number
  readonly maxDebtUs: number
  /** The policy was chosen for one call. */
  readonly chosen?: true
}

export interface State {
  /** Theoretical arrival time (TAT): when the full limit is available again. */
  tatUs: number
  /** Time given back so far, while it matters. */
  backUs: number
  /** Time that each of its units has cost. */
  intervalUs: number
  /** Where policies were chosen for calls: the charges at other rates. */
  mixed: Mixed | undefined
}

/** A draft contains the state after a take. */
export interface GcraDraft extends StrategyDraft, State {}

/** The furthest TAT: the tolerance and the largest debt ahead of now. */
export function horizonOf(numbers: Numbers, nowUs: number): number {
  return nowUs + numbers.toleranceUs + numbers.maxDebtUs
}

/** Time given back so far that still matters. */
export function backOf(state: State | undefined, nowUs: number): number {
  return state === undefined || state.tatUs + state.backUs <= nowUs ? 0 : state.backUs
}
