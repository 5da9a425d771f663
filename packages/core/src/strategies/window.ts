import type { Packed, StrategyDraft } from './definition.ts'

/** A window with an end, and what is counted in it. */
export interface WindowState {
  endUs: number
  count: number
}

/** For the strategies that count in a window with an end. Its `endUs` and `count` are the state after a take. */
export interface WindowDraft extends StrategyDraft, WindowState {
  /** false if the draft opens a new window. */
  readonly running: boolean
}

/** For strategies whose state is such a window and nothing else. */
export const packedWindow: Packed<WindowState> = {
  width: 2,
  blank: () => ({ endUs: 0, count: 0 }),
  load(values, at, state) {
    state.endUs = values[at] ?? 0
    state.count = values[at + 1] ?? 0
  },
  save(values, at, { endUs, count }) {
    values[at] = endUs
    values[at + 1] = count
  },
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
