import type { Policy } from '../policy.ts'
import type { Duration } from '../units.ts'
import type { BlockFor } from './block-for.ts'
import { asChosen, limit, type MaybeChosen, period, unitAbilities } from './common-options.ts'
import { type StrategyDraft, slipUs } from './definition.ts'
import type { ReadOptions } from './options.ts'
import { inRedis, strategyFrom } from './strategy-from.ts'
import type { Fractions } from './unit.ts'
import { cutAgain, fitsWindow } from './window.ts'

export interface SlidingWindowCounterOptions {
  /** Units per window; 0 refuses all. */
  limit: number
  /** Such as '1m'; a number is milliseconds. */
  window: Duration
}

export interface Numbers extends ReadOptions<SlidingWindowCounterOptions>, MaybeChosen {}

/** Once policies were chosen for calls: units of windows of another length, which count in full until the last of them has left. */
interface Held {
  readonly units: number
  readonly untilUs: number
  /** How far ahead `untilUs` may be at most. */
  readonly reachUs: number
}

interface State {
  /** End of the window that `count` belongs to: a multiple of the window's length. */
  endUs: number
  count: number
  /** Count of the previous window. */
  previous: number
  /** The length of both windows. */
  windowUs: number
  held: Held | undefined
  /** As in WindowState: set if other numbers have cut windows short, so that later windows have other receipts than those. */
  cutUs: number | undefined
}

/** A draft contains the state after a take. */
interface CounterDraft extends StrategyDraft, State {}

const nothingHeld: Held = { units: 0, untilUs: 0, reachUs: 0 }

/** The counters as of now. */
function roll(windowUs: number, state: State | undefined, nowUs: number): State {
  const currentUs = nowUs - (nowUs % windowUs) + windowUs
  if (state === undefined)
    return { endUs: currentUs, count: 0, previous: 0, windowUs, held: undefined, cutUs: undefined }
  const { endUs, count, held, cutUs = 0 } = state
  if (endUs > nowUs) return state.windowUs === windowUs ? state : { ...state, windowUs }
  const previous = endUs + windowUs > nowUs ? count : 0
  const isCut = cutUs > currentUs - 2 * windowUs
  return { endUs: currentUs, count: 0, previous, windowUs, held, cutUs: isCut ? cutUs : undefined }
}

/** The receipt names the window that was charged; if that began after the cut, the cut is left out. */
function receiptOf({ windowUs, cutUs = 0 }: State, endUs: number): string | number {
  return endUs - windowUs < cutUs ? `${endUs}:${cutUs}` : endUs
}

/** The counters as a call sees them: those of windows of another length are held. */
function seen({ windowUs, chosen }: Numbers, state: State | undefined, nowUs: number): State {
  if (state === undefined) {
    const held = chosen ? nothingHeld : undefined
    return { ...roll(windowUs, undefined, nowUs), held }
  }
  if (chosen === undefined && state.held === undefined) return roll(windowUs, state, nowUs)
  const rolled = roll(state.windowUs, state, nowUs)
  const known = state.held ?? nothingHeld
  const held = known.untilUs > nowUs ? known : { ...nothingHeld, reachUs: known.reachUs }
  if (state.windowUs === windowUs) return { ...rolled, held }
  return { ...roll(windowUs, undefined, nowUs), held: heldWith(held, rolled), cutUs: rolled.cutUs }
}

function heldWith({ units, untilUs, reachUs }: Held, { endUs, count, previous, windowUs }: State): Held {
  const leftUs = count > 0 ? endUs + windowUs : previous > 0 ? endUs : 0
  return {
    units: units + count + previous,
    untilUs: Math.max(untilUs, leftUs),
    reachUs: Math.max(reachUs, 2 * windowUs),
  }
}

/** How long until a cost fits beside both counters. */
function waitUs(
  { count, previous, endUs, windowUs }: State,
  limit: number,
  about: { cost: number; nowUs: number },
): number {
  const restUs = endUs - about.nowUs
  const spare = limit - count - about.cost
  if (spare >= 0) return previous === 0 ? 0 : Math.max(0, restUs - Math.floor((spare * windowUs) / previous))
  return restUs + Math.max(0, windowUs - Math.floor(((limit - about.cost) * windowUs) / count))
}

/** How long until a cost fits if units are held: until these are gone, or sooner if the cost fits beside them. */
function waitBesideUs(state: State, limit: number, about: { cost: number; nowUs: number }): number {
  const { units, untilUs } = state.held ?? nothingHeld
  const alone = waitUs(state, limit, about)
  if (units === 0) return alone
  const goneUs = Math.max(untilUs - about.nowUs, alone)
  return limit - units < about.cost ? goneUs : Math.min(goneUs, waitUs(state, limit - units, about))
}

/**
 * Approximate sliding window in constant memory: this window's count, plus the previous one's weighted by its overlap.
 * Right on average, never more than 2 · limit − 1 in any window; use `slidingWindowLog` if the limit must be exact.
 *
 * @example slidingWindowCounter({ limit: 10_000, window: '1h' })
 */
export const slidingWindowCounter: (
  options: SlidingWindowCounterOptions & BlockFor & Fractions,
) => Policy<'refund' | 'penalize' | 'reward'> = strategyFrom<
  SlidingWindowCounterOptions,
  Numbers,
  State,
  CounterDraft,
  'refund' | 'penalize' | 'reward'
>({
  name: 'slidingWindowCounter',
  code: 'wc',
  refusalsLast: true,
  can: unitAbilities,
  options: {
    limit,
    window: period,
  },
  // Within a window, what counts of the previous one only becomes less.
  ahead: {
    numbers: (numbers, us) => (fitsWindow(numbers.windowUs, us) ? numbers : undefined),
    leftUs: ({ windowUs }, resetAfterUs) => Math.max(0, resetAfterUs - windowUs),
  },
  later: {
    how: 'reservable(slidingWindowCounter({ … }))',
    dueUs(numbers, state, nowUs) {
      // The window of the newest charge may not have begun yet.
      const fromUs = Math.max(nowUs, state.endUs - state.windowUs)
      const now = seen(numbers, state, fromUs)
      // If units are held, the look for the call's cost says the rest of the wait.
      if ((now.held?.units ?? 0) > 0) return fromUs
      return fromUs + waitUs(now, numbers.limit, { cost: 0, nowUs: fromUs })
    },
    newest: ({ endUs, count }) => `${endUs}:${count}`,
  },
  chosen: asChosen,
  look(numbers, state, nowUs, cost) {
    const { limit } = numbers
    const now = seen(numbers, state, nowUs)
    const { endUs, count, previous, windowUs, held, cutUs } = now
    const { units, untilUs } = held ?? nothingHeld
    const restUs = endUs - nowUs
    const free = limit - units
    const spare = free - count - cost
    const fits = spare >= 0 && (previous === 0 || restUs <= Math.floor((spare * windowUs) / previous))
    const total = fits ? count + cost : count
    const ownUs = total > 0 ? restUs + windowUs : previous > 0 ? restUs : 0
    const resetAfterUs = units > 0 ? Math.max(ownUs, untilUs - nowUs) : ownUs
    const remaining = Math.max(0, free - total - Math.ceil((previous * restUs) / windowUs))
    const allowed = fits || cost === 0
    const retryAfterUs = allowed ? 0 : cost > limit ? null : waitBesideUs(now, limit, { cost, nowUs })
    return {
      allowed,
      limit,
      remaining,
      retryAfterUs,
      resetAfterUs,
      endUs,
      count: count + cost,
      previous,
      windowUs,
      held,
      cutUs,
    }
  },
  take: (_state, draft) => draft,
  receipt: (state) => receiptOf(state, state.endUs),
  give(state, units, _nowUs, { receipt, numbers: { windowUs } }) {
    const { endUs, count, previous } = state
    if (state.windowUs !== windowUs) return state
    if (receipt === `${receiptOf(state, endUs)}`) return { ...state, count: Math.max(0, count - units) }
    if (receipt === `${receiptOf(state, endUs - windowUs)}`)
      return { ...state, previous: Math.max(0, previous - units) }
    return state
  },
  reward(numbers, state, units, nowUs) {
    const now = seen(numbers, state, nowUs)
    const { count, previous, held } = now
    if (count + previous + (held?.units ?? 0) === 0) return state
    const rest = Math.max(0, units - count)
    const more = Math.max(0, rest - previous)
    return {
      ...now,
      count: Math.max(0, count - units),
      previous: Math.max(0, previous - rest),
      held: held && { ...held, units: Math.max(0, held.units - more) },
    }
  },
  repair({ windowUs, chosen }, state, nowUs, slip = slipUs) {
    if (state.held !== undefined) return repairMixed(state, state.held, { nowUs, slip })
    if (chosen) return state
    const { endUs, count, previous } = state
    const fits = endUs <= nowUs + windowUs + slip && endUs % windowUs === 0
    if (fits && state.windowUs === windowUs) return state
    const untilUs = endUs + state.windowUs
    const cutUs = cutAgain(state, untilUs)
    const isOver = untilUs <= nowUs
    if (fits && !isOver) return { ...state, windowUs, cutUs }
    return { ...roll(windowUs, undefined, nowUs), count: isOver ? 0 : count + previous, cutUs }
  },
  idleUs: (_numbers, { endUs, windowUs, held, cutUs = 0 }, nowUs) =>
    Math.max(endUs + windowUs, held?.untilUs ?? 0, cutUs) - nowUs,
  packed: {
    width: 4,
    rest: {
      of: ({ held, cutUs }) => (held ?? cutUs) && { held, cutUs },
      into(state, rest = {}) {
        const { held, cutUs } = rest as Partial<State> // as `of` gave it
        state.held = held
        state.cutUs = cutUs
      },
    },
    blank: () => ({ endUs: 0, count: 0, previous: 0, windowUs: 0, held: undefined, cutUs: undefined }),
    load(values, at, state) {
      state.endUs = values[at] ?? 0
      state.count = values[at + 1] ?? 0
      state.previous = values[at + 2] ?? 0
      state.windowUs = values[at + 3] ?? 0
    },
    save(values, at, { endUs, count, previous, windowUs }) {
      values[at] = endUs
      values[at + 1] = count
      values[at + 2] = previous
      values[at + 3] = windowUs
    },
  },
  redis: inRedis(({ limit, windowUs, chosen }) => [limit, windowUs, chosen ? 1 : 0]),
})

/** Repairs a state after a step back of the clock: no count lies further ahead than windows of its own length allow. */
function repairMixed(state: State, held: Held, { nowUs, slip }: { nowUs: number; slip: number }): State {
  const { endUs, count, previous, windowUs } = state
  const isAhead = endUs > nowUs + windowUs + slip
  const furthestUs = nowUs + held.reachUs
  const isHeldAhead = held.untilUs > furthestUs + slip
  if (!isAhead && !isHeldAhead) return state
  const moved = isAhead
    ? {
        ...roll(windowUs, undefined, nowUs),
        count: count + previous,
        cutUs: cutAgain(state, endUs + windowUs),
      }
    : state
  return { ...moved, held: isHeldAhead ? { ...held, untilUs: furthestUs } : held }
}
