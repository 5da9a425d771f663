import { type Duration, durationOrZeroUs } from '../units.ts'

/** What the strategies with a rate share: how far `reserve` and `penalize` may reach into the future. */
export interface Debt {
  /** Longest debt beyond what a check can take; longer punishment is `block`. @default '1m' */
  maxDebt?: Duration | undefined
}

const oneMinuteUs = 60_000_000

export function debtUs(options: Debt): number {
  return options.maxDebt === undefined ? oneMinuteUs : durationOrZeroUs(options.maxDebt, 'maxDebt')
}
