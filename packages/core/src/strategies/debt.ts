import type { Duration } from '../units.ts'

/** What the strategies with a rate share: how far `reserve` and `penalize` may reach into the future. */
export interface Debt {
  /** Longest debt beyond what a check can take; longer punishment is `block`. @default '1m' */
  maxDebt?: Duration | undefined
}
