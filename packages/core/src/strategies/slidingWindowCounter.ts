import type { Policy } from '../policy.ts'
import type { Duration } from '../units.ts'
import { fitsWindow } from './ahead.ts'
import type { BlockFor } from './block-for.ts'
import { limit, window } from './common-options.ts'
import { defineStrategy, type StrategyDraft } from './definition.ts'
import { inRedis } from './in-redis.ts'
import type { ReadOptions } from './options.ts'
import { windowPicture } from './picture.ts'
import { slipUs } from './slip.ts'

export interface SlidingWindowCounterOptions {
  limit: number
  window: Duration
}

type Numbers = ReadOptions<SlidingWindowCounterOptions>

interface State {
  /** End of the window that `count` belongs to: a multiple of the window's length. */
  endUs: number
  count: number
  /** Count of the previous window. */
  previous: number
}

/** A draft contains the state after a take. */
interface CounterDraft extends StrategyDraft, State {}

/** The counters as of now. */
function roll({ windowUs }: Numbers, state: State | undefined, nowUs: number): State {
  const currentUs = nowUs - (nowUs % windowUs) + windowUs
  if (state === undefined) return { endUs: currentUs, count: 0, previous: 0 }
  if (state.endUs > nowUs) return state
  const previous = state.endUs + windowUs > nowUs ? state.count : 0
  return { endUs: currentUs, count: 0, previous }
}

/**
 * Approximate sliding window in constant memory: this window's count, plus the previous one's weighted by its overlap.
 * Right on average, never more than 2 · limit − 1 in any window; use `slidingWindowLog` if the limit must be exact.
 *
 * @example slidingWindowCounter({ limit: 10_000, window: '1h' })
 */
export const slidingWindowCounter: (
  options: SlidingWindowCounterOptions & BlockFor,
) => Policy<'refund' | 'penalize' | 'reward'> = defineStrategy<
  SlidingWindowCounterOptions,
  Numbers,
  State,
  CounterDraft,
  'refund' | 'penalize' | 'reward'
>({
  name: 'slidingWindowCounter',
  code: 'wc',
  refusalsLast: true,
  can: ['refund', 'penalize', 'reward'],
  about: 'About `limit` units in any window, from two counters.',
  options: {
    limit,
    window: { ...window, example: '1m' },
  },
  picture: ({ limit, windowUs }) =>
    windowPicture({ title: 'sliding window counter', shape: 'sliding', limit, windowUs }),
  // What counts of the window before only becomes less within a window.
  ahead: {
    numbers: (numbers, us) => (fitsWindow(numbers.windowUs, us) ? numbers : undefined),
    leftUs: ({ windowUs }, resetAfterUs) => Math.max(0, resetAfterUs - windowUs),
  },
  look(numbers, state, nowUs, cost) {
    const { limit, windowUs } = numbers
    const { endUs, count, previous } = roll(numbers, state, nowUs)
    const restUs = endUs - nowUs
    const spare = limit - count - cost
    const fits = spare >= 0 && (previous === 0 || restUs <= Math.floor((spare * windowUs) / previous))
    const total = fits ? count + cost : count
    const resetAfterUs = total > 0 ? restUs + windowUs : previous > 0 ? restUs : 0
    const remaining = Math.max(0, limit - total - Math.ceil((previous * restUs) / windowUs))
    const allowed = fits || cost === 0
    const drafted = { allowed, limit, remaining, resetAfterUs, endUs, count: count + cost, previous }
    if (allowed) return { ...drafted, retryAfterUs: 0 }
    if (cost > limit) return { ...drafted, retryAfterUs: null }
    if (spare >= 0) return { ...drafted, retryAfterUs: restUs - Math.floor((spare * windowUs) / previous) }
    const nextUs = Math.max(0, windowUs - Math.floor(((limit - cost) * windowUs) / count))
    return { ...drafted, retryAfterUs: restUs + nextUs }
  },
  take: (_state, draft) => draft,
  receipt: ({ endUs }) => endUs,
  give(state, units, nowUs, { receipt, numbers }) {
    const { endUs, count, previous } = roll(numbers, state, nowUs)
    const chargedUs = Number(receipt)
    if (chargedUs === endUs) return { endUs, count: Math.max(0, count - units), previous }
    if (chargedUs === endUs - numbers.windowUs)
      return { endUs, count, previous: Math.max(0, previous - units) }
    return state
  },
  reward(numbers, state, units, nowUs) {
    const { endUs, count, previous } = roll(numbers, state, nowUs)
    if (count + previous === 0) return state
    const rest = Math.max(0, units - count)
    return { endUs, count: Math.max(0, count - units), previous: Math.max(0, previous - rest) }
  },
  repair({ windowUs }, state, nowUs) {
    if (state.endUs <= nowUs + windowUs + slipUs && state.endUs % windowUs === 0) return state
    return {
      endUs: nowUs - (nowUs % windowUs) + windowUs,
      count: state.count + state.previous,
      previous: 0,
    }
  },
  idleUs: ({ windowUs }, { endUs }, nowUs) => endUs + windowUs - nowUs,
  packed: {
    width: 3,
    blank: () => ({ endUs: 0, count: 0, previous: 0 }),
    load(values, at, state) {
      state.endUs = values[at] ?? 0
      state.count = values[at + 1] ?? 0
      state.previous = values[at + 2] ?? 0
    },
    save(values, at, { endUs, count, previous }) {
      values[at] = endUs
      values[at + 1] = count
      values[at + 2] = previous
    },
  },
  redis: inRedis(({ limit, windowUs }) => [limit, windowUs]),
})
