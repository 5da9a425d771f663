import type { Health } from '@sluice/core'
import type { Exchange } from '../exchange.ts'
import type { Machine } from '../load/machine.ts'
import type { End } from '../server-process.ts'
import type { OnStoreFailure } from '../settings.ts'
import type { Bounds, Seen } from './bounds.ts'

/** The course of a trial for one framework. Instants are on the clock of the exchanges. */
export interface Course {
  /** All exchanges, in any order. */
  readonly exchanges: readonly Exchange[]
  /** The instant from which on the exhausted caller has used up its limit. */
  readonly warmAtMs: number
  /** When the trouble began: before the load, where the trouble comes first. */
  readonly befellAtMs: number
  /** When the trouble was about to end. */
  readonly endingAtMs: number
  /** When Redis could answer again. */
  readonly mendedAtMs: number
  readonly choice: OnStoreFailure
  readonly forgets: boolean
  readonly sees: Seen
  /** The health of each of the framework's processes, when all was over; undefined for one that had ended. */
  readonly healths: readonly (Pick<Health, 'status' | 'fallbackDecisions'> | undefined)[]
  /** What was wrong with the end of each process; undefined for one that ended as it should. */
  readonly ends: readonly (End | undefined)[]
  /** What was measured of the machine while the load was on. */
  readonly machine: Machine
  readonly bounds: Bounds
}

/** An instant as a reader of findings wants it. */
export function when({ befellAtMs, mendedAtMs }: Course, atMs: number): string {
  const ms = (time: number) => `${Math.round(time)} ms`
  if (atMs < befellAtMs) return `${ms(befellAtMs - atMs)} before the trouble`
  return atMs < mendedAtMs
    ? `${ms(atMs - befellAtMs)} into the trouble`
    : `${ms(atMs - mendedAtMs)} after its end`
}
