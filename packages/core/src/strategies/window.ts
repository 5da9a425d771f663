import type { Packed, StrategyDraft } from './definition.ts'
import { slipUs } from './slip.ts'

/** A window with an end, and what is counted in it. */
export interface WindowState {
  endUs: number
  count: number
  /** Where a policy that was chosen for a call has opened it: how long its windows are. Undefined: the limiter's own has. */
  spanUs?: number | undefined
}

/** For the strategies that count in a window with an end. Its `endUs` and `count` are the state after a take. */
export interface WindowDraft extends StrategyDraft, WindowState {
  /** false if the draft opens a new window. */
  readonly running: boolean
}

/** For strategies whose state is such a window and nothing else. */
export const packedWindow: Packed<WindowState> = {
  width: 2,
  rest: {
    of: ({ spanUs }) => spanUs,
    into(state, spanUs) {
      state.spanUs = spanUs as number | undefined // as `of` gave it
    },
  },
  blank: () => ({ endUs: 0, count: 0, spanUs: undefined }),
  load(values, at, state) {
    state.endUs = values[at] ?? 0
    state.count = values[at + 1] ?? 0
  },
  save(values, at, { endUs, count }) {
    values[at] = endUs
    values[at + 1] = count
  },
}

/** What a policy that was chosen for a call says of the windows that it opens. */
export function spanOf({ windowUs, chosen }: { windowUs: number; chosen?: true }): number | undefined {
  return chosen === true ? windowUs : undefined
}

/**
 * The end of a window that is repaired: none ends later than the numbers let it, at `ownUs` and a slip. Those that were chosen for calls
 * do not shorten what others have opened, and nobody shortens what they have opened.
 */
export function repairedEndUs(
  { endUs, spanUs }: Pick<WindowState, 'endUs' | 'spanUs'>,
  { latestUs, ownUs, chosen }: { latestUs: number; ownUs: number; chosen: true | undefined },
  nowUs: number,
): number {
  if (endUs <= latestUs || (chosen === true && spanUs === undefined)) return endUs
  if (spanUs === undefined) return ownUs
  return endUs <= nowUs + spanUs + slipUs ? endUs : Math.max(ownUs, nowUs + spanUs)
}

/** Looks at a window with `count` units until `endUs`. */
export function lookWindow(
  { limit, endUs, count, running, spanUs }: WindowState & { limit: number; running: boolean },
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
    spanUs,
  }
}
