import type { Duration } from '../units.ts'

/** An option of the strategies with a rate: how far `reserve` and `penalize` may go into the future. */
export interface Debt {
  /** The longest debt beyond what a check can use; for longer penalties use `block`. @default '1m' */
  maxDebt?: Duration | undefined
}
