import type { MaybeChosen } from './common-options.ts'
import { type Packed, type StrategyDraft, slipUs } from './definition.ts'
import { RowShape } from './row-shape.ts'

/** A window with an end, and what is counted in it. */
export interface WindowState {
  endUs: number
  count: number
  /** If a policy that was chosen for a call has opened the window: how long that policy's windows are. undefined: the limiter's own has. */
  spanUs?: number | undefined
  /**
   * Set if other numbers have cut a window short: until when its receipts would have been valid. Receipts of later windows contain this
   * instant, so that no earlier charge is given back to a window that ends when the cut one would have ended.
   */
  cutUs?: number | undefined
}

/**
 * For the strategies that count in a window with an end. Its `endUs` and `count` are the state after a take. A class for the same
 * reason as RowShape.
 */
export class WindowDraft implements StrategyDraft, WindowState {
  declare allowed: boolean
  declare limit: number
  declare remaining: number
  declare retryAfterUs: number | null
  declare resetAfterUs: number
  declare endUs: number
  declare count: number
  /** false if the draft opens a new window. */
  declare running: boolean
  declare spanUs: number | undefined
  declare cutUs: number | undefined
}

/** For strategies whose state is such a window and nothing else. */
export const packedWindow: Packed<WindowState, { readonly limit: number }> = {
  width: 2,
  rest: {
    of: ({ spanUs, cutUs }) => (spanUs ?? cutUs) && { spanUs, cutUs },
    into(state, rest = {}) {
      const { spanUs, cutUs } = rest as Partial<WindowState> // as `of` gave it
      state.spanUs = spanUs
      state.cutUs = cutUs
    },
  },
  blank: () => ({ endUs: 0, count: 0, spanUs: undefined, cutUs: undefined }),
  load(values, at, state) {
    state.endUs = values[at] ?? 0
    state.count = values[at + 1] ?? 0
  },
  save(values, at, { endUs, count }) {
    values[at] = endUs
    values[at + 1] = count
  },
  takeOne({ limit }, values, at, nowUs) {
    const endUs = values[at] ?? 0
    const count = (values[at + 1] ?? 0) + 1
    const leftUs = endUs - nowUs
    if (leftUs <= 0 || !limit) return undefined
    if (count > limit) return new RowShape(limit, 0, leftUs, '', 'limited', leftUs, 0)
    values[at + 1] = count
    return new RowShape<'limited'>(limit, limit - count, leftUs, endUs, null, 0, 0)
  },
}

/** The part of a strategy's numbers that says how long its windows are. */
export interface WindowNumbers extends MaybeChosen {
  readonly windowUs: number
  /** Windows end by the clock or the calendar, whenever they begin. */
  readonly aligned?: boolean
  /** Of a policy that was chosen: how long the windows of the limiter's own numbers are. */
  readonly usualUs?: number
}

/** The numbers of a policy that was chosen for a call, beside the limiter's own. */
export function chosenBeside<Numbers extends WindowNumbers>(numbers: Numbers, own: Numbers): Numbers {
  return { ...numbers, chosen: true, usualUs: own.windowUs }
}

/** `usualUs` as an argument of the script: 0 if the policy was not chosen. */
export function usualArgument({ chosen, windowUs, usualUs = windowUs }: WindowNumbers): number {
  return chosen ? usualUs : 0
}

/** `spanUs` of the windows that these numbers open. */
export function spanOf({ windowUs, chosen }: WindowNumbers): number | undefined {
  return chosen ? windowUs : undefined
}

/** Whether other numbers may have opened the running window. */
export function isMixed({ chosen }: WindowNumbers, { spanUs }: Pick<WindowState, 'spanUs'>): boolean {
  return chosen || spanUs !== undefined
}

/** The cut of a key whose count is cut short now; earlier receipts would have been valid until `untilUs`. */
export function cutAgain({ cutUs = 0 }: Pick<WindowState, 'cutUs'>, untilUs: number): number {
  // No two cuts of a key are the same instant.
  return Math.max(untilUs, cutUs + 1)
}

type Span = Pick<WindowState, 'endUs' | 'spanUs'>

/**
 * A running window after a charge, where other numbers may have opened it. If the call's own windows are longer, the running one now
 * ends when one that begins now would: otherwise the charge would be forgotten with the shorter window.
 */
export function lasting(running: Span, numbers: WindowNumbers, ownEndUs: number): Span {
  const { endUs, spanUs } = running
  const { windowUs, aligned, usualUs = windowUs } = numbers
  if (endUs >= ownEndUs) return running
  if (windowUs > (spanUs ?? usualUs)) return { endUs: ownEndUs, spanUs: spanOf(numbers) }
  return aligned ? { endUs: ownEndUs, spanUs } : running
}

/**
 * The end of a window after a repair: no later than the numbers allow, which is `ownUs` and a slip. Numbers that were chosen for a call
 * do not shorten the windows of others, and no numbers cut a window of theirs below its own length.
 */
export function repairedEndUs(
  { endUs, spanUs }: Span,
  { windowUs, chosen }: WindowNumbers,
  about: { nowUs: number; slip?: number; ownUs?: number; latestUs?: number },
): number {
  const { nowUs, slip = slipUs, ownUs = nowUs + windowUs, latestUs = ownUs + slip } = about
  if (endUs <= latestUs || (chosen && spanUs === undefined)) return endUs
  if (spanUs === undefined) return ownUs
  return endUs <= nowUs + spanUs + slip ? endUs : Math.max(ownUs, nowUs + spanUs)
}

/** Looks at a window with `count` units until `endUs`, which a charge makes last as long as `after` says. */
export function lookWindow(
  { limit, endUs, count, running, spanUs, cutUs }: WindowState & { limit: number; running: boolean },
  nowUs: number,
  cost: number,
  after?: Span,
): WindowDraft {
  const total = count + cost
  const allowed = total <= limit || cost === 0
  const counted = allowed ? total : count
  const span = (cost > 0 ? after : undefined) ?? { endUs, spanUs }
  const draft = new WindowDraft()
  draft.allowed = allowed
  draft.limit = limit
  draft.remaining = Math.max(limit - counted, 0)
  draft.retryAfterUs = allowed ? 0 : cost > limit ? null : endUs - nowUs
  draft.resetAfterUs = counted > 0 ? (allowed ? span.endUs : endUs) - nowUs : 0
  draft.endUs = span.endUs
  draft.count = total
  draft.running = running
  draft.spanUs = span.spanUs
  draft.cutUs = cutUs
  return draft
}

/** Units are used at most a tenth of a window later: a longer time would keep too much of a window from being used. */
const mostOfWindow = 10

/** A window longer by `us`: each unit counts for so much longer, so the limit holds at whichever instant within `us` it is used. */
export function longerWindow<N extends { readonly windowUs: number }>(numbers: N, us: number): N | undefined {
  return fitsWindow(numbers.windowUs, us) ? { ...numbers, windowUs: numbers.windowUs + us } : undefined
}

export function fitsWindow(windowUs: number, us: number): boolean {
  return us * mostOfWindow <= windowUs
}
