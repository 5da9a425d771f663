import type { Policy } from '../policy.ts'
import type { Duration } from '../units.ts'
import { longerWindow } from './ahead.ts'
import type { BlockFor } from './block-for.ts'
import { limit, maxEntries, window } from './common-options.ts'
import { defineStrategy, type StrategyDraft } from './definition.ts'
import { removeNewest } from './entries.ts'
import { inRedis } from './in-redis.ts'
import type { ReadOptions } from './options.ts'
import { windowPicture } from './picture.ts'
import { slipUs } from './slip.ts'

export interface SlidingWindowLogOptions {
  /** At most 100,000, because every admission is kept for a window. */
  limit: number
  window: Duration
}

type Numbers = ReadOptions<SlidingWindowLogOptions>

/** One entry for each admitted unit, the oldest first; entries before `head` have left the window. */
interface State {
  atUs: number[]
  calls: string[]
  head: number
  /** The latest admission, even if given back since: the state lives as long as that. */
  lastUs: number
}

interface LogDraft extends StrategyDraft {
  readonly cost: number
  /** Up to when entries count no more. No index: the take may find another state, where memory has dropped the one that was looked at. */
  readonly deadUs: number
}

/** 0 if there is none. */
function newestUs({ atUs, head }: State): number {
  return atUs.length > head ? (atUs[atUs.length - 1] ?? 0) : 0
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
  state.head = 0
}

/**
 * At most `limit` in any span of length `window`, exactly.
 * Memory grows with the limit: use `multiWindow` or `slidingWindowCounter` for limits in the thousands.
 *
 * @example slidingWindowLog({ limit: 100, window: '10s' })
 */
export const slidingWindowLog: (
  options: SlidingWindowLogOptions & BlockFor,
) => Policy<'refund' | 'penalize' | 'reward'> = defineStrategy<
  SlidingWindowLogOptions,
  Numbers,
  State,
  LogDraft,
  'refund' | 'penalize' | 'reward'
>({
  name: 'slidingWindowLog',
  code: 'lo',
  refusalsLast: true,
  can: ['refund', 'penalize', 'reward'],
  wants: ['call'],
  about: 'At most `limit` units in any window, exactly.',
  options: { limit: { ...limit, max: maxEntries }, window },
  picture: ({ limit, windowUs }) =>
    windowPicture({ title: 'sliding window log', shape: 'sliding', limit, windowUs }),
  ahead: { numbers: ({ limit, windowUs }, us) => longerWindow({ limit, windowUs }, us) },
  look({ limit, windowUs }, state, nowUs, cost) {
    const deadUs = nowUs - windowUs
    const head = state === undefined ? 0 : firstAfter(state, deadUs)
    const count = state === undefined ? 0 : state.atUs.length - head
    const left = count < limit ? limit - count : 0
    if (cost > 0 && count + cost <= limit) {
      return {
        allowed: true,
        limit,
        remaining: left - cost,
        retryAfterUs: 0,
        resetAfterUs: Math.max(0, state === undefined ? 0 : newestUs(state) - nowUs) + windowUs,
        cost,
        deadUs,
      }
    }
    const resetAfterUs = state === undefined || count === 0 ? 0 : newestUs(state) + windowUs - nowUs
    if (cost === 0)
      return { allowed: true, limit, remaining: left, retryAfterUs: 0, resetAfterUs, cost, deadUs }
    // The cost fits once this entry has left the window.
    const leavingUs = cost > limit ? undefined : state?.atUs[head + count + cost - limit - 1]
    const retryAfterUs = leavingUs === undefined ? null : leavingUs + windowUs - nowUs
    return { allowed: false, limit, remaining: left, retryAfterUs, resetAfterUs, cost, deadUs }
  },
  take(state, { cost, deadUs }, { nowUs, id }) {
    const log = state ?? { atUs: [], calls: [], head: 0, lastUs: 0 }
    // Keeps the order even if the clock has stepped back.
    log.lastUs = Math.max(nowUs, newestUs(log))
    trim(log, firstAfter(log, deadUs))
    // A penalty may be larger than any limit.
    const units = Math.min(cost, maxEntries - (log.atUs.length - log.head))
    for (let i = 0; i < units; i++) {
      log.atUs.push(log.lastUs)
      log.calls.push(id)
    }
    return log
  },
  receipt: ({ calls }) => calls[calls.length - 1] ?? '',
  give(state, units, _nowUs, { receipt }) {
    const { atUs, calls, head } = state
    removeNewest([atUs, calls], { from: head, count: units, goes: (n) => calls[n] === receipt })
    return state
  },
  reward({ windowUs }, state, units, nowUs) {
    const { atUs, calls } = state
    const left = Math.max(firstAfter(state, nowUs - windowUs), atUs.length - units)
    atUs.length = left
    calls.length = left
    return state
  },
  repair(_numbers, state, nowUs) {
    const { atUs } = state
    if (newestUs(state) <= nowUs + slipUs) return state
    for (let i = atUs.length - 1; i >= 0 && (atUs[i] ?? 0) > nowUs; i--) atUs[i] = nowUs
    return { ...state, lastUs: nowUs }
  },
  idleUs: ({ windowUs }, { lastUs }, nowUs) => lastUs + windowUs - nowUs,
  redis: inRedis(({ limit, windowUs }) => [limit, windowUs]),
})
