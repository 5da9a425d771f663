import type { Draft } from './definition.ts'

/** What the strategies that count a window with an end share. */
export interface WindowDraft extends Draft {
  /** With the count: the state that a take leaves. */
  endUs: number
  count: number
  /** false: the draft opens a new window. */
  readonly running: boolean
}

/** The look of a counted window: `count` units until `endUs`. */
export function lookWindow(
  { limit, endUs, count, running }: { limit: number; endUs: number; count: number; running: boolean },
  nowUs: number,
  cost: number,
): WindowDraft {
  const total = count + cost
  const untilEndUs = endUs - nowUs
  const allowed = total <= limit || cost === 0
  const left = limit - (allowed ? total : count)
  return {
    allowed,
    limit,
    remaining: Math.max(left, 0),
    retryAfterUs: allowed ? 0 : cost > limit ? null : untilEndUs,
    resetAfterUs: (allowed ? total : count) > 0 ? untilEndUs : 0,
    endUs,
    count: total,
    running,
  }
}
