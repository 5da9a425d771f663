import type { Policy } from '../policy.ts'
import type { Duration } from '../units.ts'
import type { BlockFor } from './block-for.ts'
import {
  asChosen,
  like,
  limit,
  type MaybeChosen,
  maxEntries,
  mostAtOnce,
  unitAbilities,
  window,
} from './common-options.ts'
import { type StrategyDraft, slipUs } from './definition.ts'
import { removeNewest } from './entries.ts'
import type { ReadOptions } from './options.ts'
import { inRedis, strategyFrom } from './strategy-from.ts'
import type { Fractions } from './unit.ts'
import { longerWindow } from './window.ts'

export interface SlidingWindowLogOptions {
  /** At most 100,000, because every admission is kept for a window. */
  limit: number
  /** Such as '1m'; a number is milliseconds. */
  window: Duration
}

export interface Numbers extends ReadOptions<SlidingWindowLogOptions>, MaybeChosen {}

/** One entry for each admitted unit, the oldest first; entries before `head` have left the window. */
interface State {
  atUs: number[]
  calls: string[]
  head: number
  /** Until when the state matters. The entries alone do not say so: the latest one may have been given back since. */
  untilUs: number
  /** Set once policies were chosen for calls. */
  chosen: Chosen | undefined
}

interface Chosen {
  /** For how long each entry counts by the numbers that were chosen for its call; 0: it was charged by the limiter's own. */
  spansUs: number[]
  /** Until when the last entry counts that a chosen policy has charged. */
  untilUs: number
}

interface LogDraft extends StrategyDraft {
  readonly cost: number
  /** The instant of its entries. No index: the take may find another state, if memory has dropped the one that was looked at. */
  readonly atUs: number
  readonly numbers: Numbers
}

/** The instant of the newest entry; 0 if there is none. */
function newestUs({ atUs, head }: State): number {
  return atUs.length > head ? (atUs[atUs.length - 1] ?? 0) : 0
}

/** How many entries have the newest instant. */
function newestUnits(state: State): number {
  const us = newestUs(state)
  return state.atUs.length - firstAfter(state, us - 1)
}

/** A log whose life is over counts nothing, also under numbers that would count its entries for longer. */
function livingOf(state: State | undefined, nowUs: number): State | undefined {
  return state !== undefined && state.untilUs > nowUs ? state : undefined
}

/** Index of the first entry after a time. */
function firstAfter({ atUs, head }: State, instantUs: number): number {
  let low = head
  let high = atUs.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((atUs[middle] ?? 0) > instantUs) high = middle
    else low = middle + 1
  }
  return low
}

/** Drops the entries before `head` once they are more than half: constant work per entry. */
function trim(state: State, head: number): void {
  state.head = head
  if (head < 32 || head * 2 < state.atUs.length) return
  state.atUs = state.atUs.slice(head)
  state.calls = state.calls.slice(head)
  if (state.chosen !== undefined) state.chosen.spansUs = state.chosen.spansUs.slice(head)
  state.head = 0
}

/** Drops entries that no numbers count any more. A chosen policy keeps those of the limiter's own: only calls with these drop them. */
function trimMixed(state: State, { spansUs }: Chosen, numbers: Numbers, nowUs: number): void {
  const { atUs, calls } = state
  const deadUs = nowUs - numbers.windowUs
  let kept = 0
  for (let i = state.head; i < atUs.length; i++) {
    const [us = 0, spanUs = 0] = [atUs[i], spansUs[i]]
    const counts = us > deadUs || (spanUs === 0 ? numbers.chosen === true : us + spanUs > nowUs)
    if (!counts) continue
    atUs[kept] = us
    calls[kept] = calls[i] ?? ''
    spansUs[kept] = spanUs
    kept++
  }
  for (const list of listsOf(state)) list.length = kept
  state.head = 0
}

/** Whether entries may count that other numbers than these have charged. */
function isMixed({ chosen }: State, numbers: Numbers, nowUs: number): boolean {
  return numbers.chosen === true || (chosen !== undefined && chosen.untilUs > nowUs)
}

/** The lists that have an element for each entry. */
function listsOf({ atUs, calls, chosen }: State): readonly unknown[][] {
  return chosen === undefined ? [atUs, calls] : [atUs, calls, chosen.spansUs]
}

/**
 * At most `limit` in any span of length `window`, exactly.
 * Memory grows with the limit: use `multiWindow` or `slidingWindowCounter` for limits in the thousands.
 *
 * @example slidingWindowLog({ limit: 100, window: '10s' })
 */
export const slidingWindowLog: (
  options: SlidingWindowLogOptions & BlockFor & Fractions,
) => Policy<'refund' | 'penalize' | 'reward'> = strategyFrom<
  SlidingWindowLogOptions,
  Numbers,
  State,
  LogDraft,
  'refund' | 'penalize' | 'reward'
>({
  name: 'slidingWindowLog',
  code: 'lo',
  refusalsLast: true,
  can: unitAbilities,
  wants: ['call'],
  options: { limit: like(limit, { max: maxEntries }), window },
  ahead: { numbers: ({ limit, windowUs }, us) => longerWindow({ limit, windowUs }, us) },
  // A caller that reserves has entries of the instant at which it is let in.
  later: {
    how: 'reservable(slidingWindowLog({ … }))',
    dueUs: (_numbers, state) => newestUs(state),
    newest: (state) => `${newestUs(state)}:${newestUnits(state)}`,
  },
  chosen: asChosen,
  look(numbers, stored, nowUs, cost) {
    const { limit, windowUs } = numbers
    const state = livingOf(stored, nowUs)
    const deadUs = nowUs - windowUs
    const head = state === undefined ? 0 : firstAfter(state, deadUs)
    const count = state === undefined ? 0 : state.atUs.length - head
    const left = count < limit ? limit - count : 0
    const lastUs = state === undefined || count === 0 ? deadUs : newestUs(state)
    const allowed = cost === 0 || count + cost <= limit
    const isTaken = allowed && cost > 0
    // The cost fits once this entry has left the window.
    const leavingUs = allowed || cost > limit ? undefined : state?.atUs[head + count + cost - limit - 1]
    return {
      allowed,
      limit,
      remaining: isTaken ? left - cost : left,
      retryAfterUs: allowed ? 0 : leavingUs === undefined ? null : leavingUs + windowUs - nowUs,
      resetAfterUs: (isTaken ? Math.max(nowUs, lastUs) : lastUs) - deadUs,
      cost,
      atUs: nowUs,
      numbers,
    }
  },
  take(state, draft, { nowUs, id }) {
    const { cost, atUs, numbers } = draft
    const { limit, windowUs } = numbers
    const log = livingOf(state, nowUs) ?? { atUs: [], calls: [], head: 0, untilUs: 0, chosen: undefined }
    // A log of which all was given back begins anew.
    if (newestUs(log) === 0 && (log.chosen?.untilUs ?? 0) <= nowUs) log.untilUs = 0
    // Keeps the order even if the clock has stepped back.
    const admittedUs = Math.max(atUs, newestUs(log))
    const endUs = admittedUs + windowUs
    if (numbers.chosen) log.chosen ??= { spansUs: log.atUs.map(() => 0), untilUs: 0 }
    const mixed = isMixed(log, numbers, nowUs) ? log.chosen : undefined
    if (mixed === undefined) trim(log, firstAfter(log, nowUs - windowUs))
    else trimMixed(log, mixed, numbers, nowUs)
    log.untilUs = mixed === undefined ? endUs : Math.max(log.untilUs, endUs)
    if (mixed !== undefined && numbers.chosen === true) mixed.untilUs = Math.max(mixed.untilUs, endUs)
    const units = Math.min(cost, mostAtOnce(limit), maxEntries - (log.atUs.length - log.head))
    for (let i = 0; i < units; i++) {
      log.atUs.push(admittedUs)
      log.calls.push(id)
      log.chosen?.spansUs.push(numbers.chosen ? windowUs : 0)
    }
    return log
  },
  tellsCounts: () => true,
  receipt: ({ calls }) => calls[calls.length - 1] ?? '',
  give(state, units, _nowUs, { receipt }) {
    const { calls, head } = state
    removeNewest(listsOf(state), { from: head, count: units, goes: (n) => calls[n] === receipt })
    return state
  },
  reward({ windowUs }, state, units, nowUs) {
    const left = Math.max(firstAfter(state, nowUs - windowUs), state.atUs.length - units)
    for (const list of listsOf(state)) list.length = left
    return state
  },
  repair(numbers, state, nowUs, slip = slipUs) {
    const { atUs } = state
    if (newestUs(state) <= nowUs + slip) return state
    for (let i = atUs.length - 1; i >= 0 && (atUs[i] ?? 0) > nowUs; i--) atUs[i] = nowUs
    // Entries of other numbers may count for longer.
    const isKept = numbers.chosen === true || state.chosen !== undefined
    return { ...state, untilUs: isKept ? state.untilUs : nowUs + numbers.windowUs }
  },
  idleUs: (_numbers, { untilUs }, nowUs) => untilUs - nowUs,
  redis: inRedis(({ limit, windowUs, chosen }) => [limit, windowUs, chosen ? 1 : 0]),
})
