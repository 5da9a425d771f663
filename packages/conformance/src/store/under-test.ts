import type { Check, Store } from '@sluice/core'

/** A store, and the hands that its tests need on the world around it. */
export interface StoreUnderTest {
  readonly store: Store
  /** Moves the store's clock to an instant, back too. In µs; sixteen digits, as stored instants have. */
  setClock(us: number): Promise<void>
  /** How long the key of a check goes on living, in µs; null where there is none. Left out: the store gives no lives. */
  lifeUs?(check: Check): Promise<number | null>
  /** What is stored for a check, as the store writes it; null for nothing. Left out: it cannot be seen. */
  stored?(check: Check): Promise<string | null>
  /** Questions that come at once are decided in the order in which they come, whatever keys they share. @default false */
  readonly keepsOrder?: boolean
  /** Of the random histories so many are played: those of a server take long. @default 1: all of them */
  readonly share?: number
  close(): Promise<void>
}

export type StoreFactory = () => Promise<StoreUnderTest>

/** Where the clock of a test starts. */
export const baseUs = 1_700_000_000_000_000
