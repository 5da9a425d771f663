import type { StrategyDraft } from './definition.ts'

/** For the strategies that count in a window with an end. */
export interface WindowDraft extends StrategyDraft {
  /** With `count`, the state after a take. */
  endUs: number
  count: number
  /** false if the draft opens a new window. */
  readonly running: boolean
}

/** Looks at a window with `count` units until `endUs`. */
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
