import { msUp } from '@sluice/core/internal'

/**
 * What a queue has measured of its processors. Instants and lengths in whole microseconds of the clock that measures; a mean may be
 * a fraction. A gap lies between two finishes with work waiting: idle time is never counted, and nothing decays.
 */
export interface Measure {
  /** Gaps counted now, and their sum. */
  readonly gaps: number
  readonly gapsUs: number
  /** The 32 before those, and their sum. */
  readonly pastGaps: number
  readonly pastGapsUs: number
  /** The latest finish; 0: none yet. */
  readonly lastUs: number
  /** Whether something waited after it, so that the next finish ends a gap. */
  readonly busy: boolean
  /** Mean time of a handler; 0: none yet. */
  readonly workUs: number
  /** When the queue was empty last: the arrival of the first entry since. */
  readonly sinceUs: number
  /** The instant that the last refused caller was given. */
  readonly toldUs: number
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
  toldUs: 0,
})

const gapsKept = 32
const worksKept = 16
/** The gap when nothing was measured. */
const guessUs = 1_000_000

/** After a finish: of work that took `workedUs`, with entries `waiting` behind it or none. */
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

/** For how long a gap has been open: processors that died show, as theirs grows. */
function openUs({ lastUs, sinceUs }: Measure, nowUs: number, waiting: boolean): number {
  return waiting ? Math.max(0, nowUs - Math.max(lastUs, sinceUs)) : 0
}

/** From one finish to the next while entries wait. */
export function gapUs(measure: Measure, nowUs: number, waiting: boolean): number {
  const open = openUs(measure, nowUs, waiting)
  const gaps = measure.gaps + measure.pastGaps
  if (gaps === 0) return Math.max(measure.workUs, open, guessUs)
  return (measure.gapsUs + measure.pastGapsUs + open) / gaps
}

/** The estimate a caller gets of when the entry at this position is done; null while nothing was measured. */
export function waitMs(measure: Measure, nowUs: number, position: number): number | null {
  if (measure.lastUs === 0) return null
  return msUp(Math.max(measure.workUs, position * gapUs(measure, nowUs, true)))
}

/**
 * Gives callers of a full queue successive places, one gap apart and at most one whole queue away: given the same one, they would
 * come back together. It is advice, a place is not held. `toldUs` is what the measure keeps.
 */
export function nextPlace(
  measure: Measure,
  nowUs: number,
  { limit, waiting }: { readonly limit: number; readonly waiting: boolean },
): { readonly toldUs: number; readonly retryAfterUs: number } {
  const gap = gapUs(measure, nowUs, waiting)
  const toldUs = Math.min(Math.max(measure.toldUs, nowUs) + gap, nowUs + limit * gap)
  return { toldUs, retryAfterUs: toldUs - nowUs }
}
