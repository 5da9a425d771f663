import { msUp } from '@sluice/core/internal'

/**
 * A queue's measurements of its processors. Times are whole microseconds of the measuring clock; a mean may be
 * a fraction. A gap is the time between two finishes while work was waiting: idle time is not counted, and nothing decays.
 */
export interface Measure {
  /** The current gaps: their number and sum. */
  readonly gaps: number
  readonly gapsUs: number
  /** The previous 32 gaps: their number and sum. */
  readonly pastGaps: number
  readonly pastGapsUs: number
  /** The latest finish; 0 if there was none. */
  readonly lastUs: number
  /** Whether work was waiting after it, so that the next finish ends a gap. */
  readonly busy: boolean
  /** Mean duration of work; 0 if there was none. */
  readonly workUs: number
  /** The arrival of the first entry since the queue was last empty. */
  readonly sinceUs: number
  /** The return time that the last refused caller was given. */
  readonly returnUs: number
}

export const unmeasured: Measure = Object.freeze({
  gaps: 0,
  gapsUs: 0,
  pastGaps: 0,
  pastGapsUs: 0,
  lastUs: 0,
  busy: false,
  workUs: 0,
  sinceUs: 0,
  returnUs: 0,
})

const gapsKept = 32
const worksKept = 16
/** The gap that is assumed before anything was measured. */
const guessUs = 1_000_000

/** Updates the measurements after a finish of work that took `workedUs`; `waiting`: whether entries are waiting. */
export function measureFinish(
  measure: Measure,
  nowUs: number,
  { workedUs, waiting }: { readonly workedUs: number; readonly waiting: boolean },
): Measure {
  const counted = measure.busy ? countGap(measure, nowUs - measure.lastUs) : measure
  const workUs = measure.lastUs === 0 ? workedUs : measure.workUs + (workedUs - measure.workUs) / worksKept
  return { ...counted, workUs, lastUs: nowUs, busy: waiting }
}

function countGap(measure: Measure, gapUs: number): Measure {
  const gaps = measure.gaps + 1
  const gapsUs = measure.gapsUs + Math.max(0, gapUs)
  if (gaps < gapsKept) return { ...measure, gaps, gapsUs }
  return { ...measure, gaps: 0, gapsUs: 0, pastGaps: gaps, pastGapsUs: gapsUs }
}

/** How long the current gap has been open: it grows if processors have died. */
function openUs({ lastUs, sinceUs }: Measure, nowUs: number, waiting: boolean): number {
  return waiting ? Math.max(0, nowUs - Math.max(lastUs, sinceUs)) : 0
}

/** The gap between finishes while entries wait. */
export function gapUs(measure: Measure, nowUs: number, waiting: boolean): number {
  const open = openUs(measure, nowUs, waiting)
  const gaps = measure.gaps + measure.pastGaps
  if (gaps === 0) return Math.max(measure.workUs, open, guessUs)
  return (measure.gapsUs + measure.pastGapsUs + open) / gaps
}

/** Estimated time until the entry at this position is done; null if nothing was measured. */
export function waitMs(measure: Measure, nowUs: number, position: number): number | null {
  if (measure.lastUs === 0) return null
  return msUp(Math.max(measure.workUs, position * gapUs(measure, nowUs, true)))
}

/**
 * Gives callers of a full queue successive return times, one gap apart and at most one whole queue away: with the same time, they would
 * return together. It is only a suggestion; no place is reserved. `returnUs` is kept in the measurements.
 */
export function nextPlace(
  measure: Measure,
  nowUs: number,
  { limit, waiting }: { readonly limit: number; readonly waiting: boolean },
): { readonly returnUs: number; readonly retryAfterUs: number } {
  const gap = gapUs(measure, nowUs, waiting)
  const returnUs = Math.min(Math.max(measure.returnUs, nowUs) + gap, nowUs + limit * gap)
  return { returnUs, retryAfterUs: returnUs - nowUs }
}
