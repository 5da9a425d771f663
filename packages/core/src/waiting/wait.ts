import { optionError } from '../errors.ts'

/** How a caller waits. */
export interface Wait {
  readonly maxWaitUs: number
  readonly signal: AbortSignal | undefined
  readonly jitter: Jitter | undefined
  /** Of callers in line for a place in flight, the one with the higher priority is served first. @default 0 */
  readonly priority?: number | undefined
  /** Called before the caller sleeps. */
  readonly reserved?: (waitMs: number) => void
}

/** Settles the promise of a caller. */
export interface Ends<Outcome> {
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

/** A sleep's factor is drawn between the two. */
export type Jitter = readonly [from: number, to: number]

/** Used for `jitter: true`, and to space callers by chance where no store spaces them. */
const usualJitter: Jitter = [0.9, 1.1]

/** undefined: sleeps are exactly as long as the store said. */
export function readJitter(value: unknown): Jitter | undefined {
  if (value === undefined || value === false) return undefined
  if (value === true) return usualJitter
  const [from, to, ...more]: readonly unknown[] = Array.isArray(value) ? value : []
  if (isFactor(from) && isFactor(to) && from <= to && more.length === 0) return [from, to]
  throw optionError('jitter', 'true, false, or two factors such as [0.9, 1.1], the smaller one first', value)
}

function isFactor(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && Number.isFinite(value)
}

/**
 * A sleep so long that no caller is early and the long-run rate holds: a factor below 1 counts as 1, and no sleep grows by more than
 * one spacing, so that in any span at most one unit passes beyond what the policy says.
 */
export function lengthened(ms: number, spacingMs: number, jitter: Jitter = usualJitter): number {
  return Math.min(ms * factorOf(jitter), ms + spacingMs)
}

/** Drawn between the two; below 1 it counts as 1. */
function factorOf([from, to]: Jitter): number {
  return Math.max(1, from + (to - from) * Math.random())
}
