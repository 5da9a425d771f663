import type { Policy } from '../policy.ts'
import type { Duration } from '../units.ts'
import { longerWindow } from './ahead.ts'
import type { BlockFor } from './block-for.ts'
import { type Bad, defineStrategy, type StrategyDraft } from './definition.ts'
import { inRedis } from './in-redis.ts'
import type { ReadOptions, Window } from './options.ts'
import { spanWords } from './picture.ts'
import { shareOf } from './share.ts'
import { slipUs } from './slip.ts'

export interface MultiWindowOptions {
  /** Limits, longer windows with higher limits, e.g. 1000 per 1 s, 5000 per 10 s, 7000 per 15 s; at most 16. */
  limits: readonly { limit: number; window: Duration }[]
  /** Length of the counted slots: a window may refuse for up to one slot longer than an exact log. @default shortest window / 10, at least longest / 120 */
  slot?: Duration | undefined
}

interface Numbers {
  readonly slotUs: number
  /** The shortest first. */
  readonly windows: readonly Window[]
  readonly longestUs: number
}

interface Slot {
  readonly endUs: number
  count: number
}

/** The oldest first. */
type State = readonly Slot[]

interface MultiDraft extends StrategyDraft {
  readonly currentUs: number
  readonly cost: number
  readonly oldestUs: number
}

function longestUs(windows: readonly Window[]): number {
  return windows[windows.length - 1]?.windowUs ?? 0
}

function usualSlotUs(windows: readonly Window[]): number {
  const shortestUs = windows[0]?.windowUs ?? 0
  return Math.max(1, Math.ceil(shortestUs / 10), Math.ceil(longestUs(windows) / 120))
}

function numbersOf({ limits: windows, slotUs }: ReadOptions<MultiWindowOptions>, bad: Bad): Numbers {
  const shortestUs = windows[0]?.windowUs ?? 0
  const leastSlotUs = Math.ceil(longestUs(windows) / 512)
  if (slotUs < leastSlotUs) bad('slot', `at least a 512th of the longest window (${leastSlotUs / 1000} ms)`)
  if (slotUs * 2 > shortestUs) {
    const expected =
      'at most half of the shortest window (for windows more than a factor of 60 apart use two policies)'
    bad('slot', expected, slotUs === usualSlotUs(windows) ? `${slotUs / 1000}ms` : undefined)
  }
  return { slotUs, windows, longestUs: longestUs(windows) }
}

/** The units in a window; a partly overlapping oldest slot counts in full. */
function sumOf(slots: State, windowUs: number, nowUs: number): number {
  let sum = 0
  for (const { endUs, count } of slots) if (endUs + windowUs > nowUs) sum += count
  return sum
}

/** Time until `excess` units have left the window. */
function waitFor(slots: State, windowUs: number, nowUs: number, excess: number): number {
  let rest = excess
  let waitUs = 0
  for (const { endUs, count } of slots) {
    if (rest <= 0) break
    if (endUs + windowUs <= nowUs) continue
    rest -= count
    waitUs = endUs + windowUs - nowUs
  }
  return waitUs
}

/**
 * Several limits on one stream of requests: a short burst may pass, a sustained one may not. No window is ever exceeded.
 * The result describes the window that refuses. Cost and memory grow with the number of slots, not of requests.
 *
 * @example multiWindow({ limits: [{ limit: 1000, window: '1s' }, { limit: 5000, window: '10s' }, { limit: 7000, window: '15s' }] })
 */
export const multiWindow: (
  options: MultiWindowOptions & BlockFor,
) => Policy<'refund' | 'penalize' | 'reward'> = defineStrategy<
  MultiWindowOptions,
  Numbers,
  State,
  MultiDraft,
  'refund' | 'penalize' | 'reward'
>({
  name: 'multiWindow',
  code: 'mw',
  can: ['refund', 'penalize', 'reward'],
  refusalsLast: true,
  about: 'Several limits on one stream of requests, longer windows with higher limits.',
  options: {
    limits: {
      kind: 'windows',
      about: 'Limits, longer windows with higher limits.',
      max: 16,
      example: [
        { limit: 20, window: '1s' },
        { limit: 100, window: '10s' },
      ],
    },
    slot: {
      kind: 'duration',
      about: 'Length of the counted slots: a window may refuse for up to one slot longer than an exact log.',
      default: {
        words: 'shortest window / 10, at least longest / 120',
        of: ({ limits }) => usualSlotUs(limits),
      },
    },
  },
  numbers: numbersOf,
  limitOf: ({ windows }) => windows[0]?.limit ?? 0,
  quotaOf: ({ windows }) => windows[windows.length - 1]?.limit ?? 0,
  windowUsOf: ({ longestUs }) => longestUs,
  picture: ({ windows, longestUs }) => ({
    title: 'multi window',
    rule: windows.map(({ limit, windowUs }) => `${limit} / ${spanWords(windowUs)}`).join(', '),
    windowUs: longestUs,
    most: windows.at(-1)?.limit ?? 0,
    shape: 'nested',
    windowsUs: windows.map(({ windowUs }) => windowUs),
  }),
  share: (numbers, processes) => ({
    ...numbers,
    windows: numbers.windows.map((each) => ({ ...each, limit: shareOf(each.limit, processes) })),
  }),
  ahead: {
    numbers({ slotUs, windows }, us) {
      const longer = windows.map((each) => longerWindow(each, us))
      const all = longer.filter((each) => each !== undefined)
      return all.length < windows.length ? undefined : { slotUs, windows: all, longestUs: longestUs(all) }
    },
  },
  look({ slotUs, windows, longestUs }, state, nowUs, cost) {
    const slots = state ?? []
    const currentUs = nowUs - (nowUs % slotUs) + slotUs
    let least = { limit: 0, left: Number.POSITIVE_INFINITY }
    let refusing: { limit: number; left: number; waitUs: number } | undefined
    for (const { limit, windowUs } of windows) {
      const sum = sumOf(slots, windowUs, nowUs)
      const left = Math.max(0, limit - sum)
      if (left <= least.left) least = { limit, left }
      if (cost === 0 || sum + cost <= limit) continue
      const waitUs = waitFor(slots, windowUs, nowUs, sum + cost - limit)
      if (refusing === undefined || waitUs >= refusing.waitUs) refusing = { limit, left, waitUs }
    }
    const newest = slots[slots.length - 1]
    const untouchedUs = newest === undefined ? 0 : Math.max(0, newest.endUs + longestUs - nowUs)
    const drafted = { currentUs, cost, oldestUs: nowUs - longestUs }
    if (refusing !== undefined) {
      const retryAfterUs = cost > (windows[0]?.limit ?? 0) ? null : refusing.waitUs
      const { limit, left: remaining } = refusing
      return { ...drafted, allowed: false, limit, remaining, retryAfterUs, resetAfterUs: untouchedUs }
    }
    // After a change of the slot length, or a small step back of the clock, a slot may end later than the current one.
    const newestUs = Math.max(currentUs, newest?.endUs ?? 0)
    const resetAfterUs = cost > 0 ? newestUs + longestUs - nowUs : untouchedUs
    return {
      ...drafted,
      allowed: true,
      limit: least.limit,
      remaining: least.left - cost,
      retryAfterUs: 0,
      resetAfterUs,
    }
  },
  take(state, { currentUs, cost, oldestUs }) {
    const slots = (state ?? []).filter(({ endUs }) => endUs > oldestUs)
    return addTo(slots, currentUs, cost)
  },
  receipt: (_slots, { currentUs }) => currentUs,
  give(state, units, _nowUs, { receipt }) {
    const chargedUs = Number(receipt)
    for (const slot of state) if (slot.endUs === chargedUs) slot.count = Math.max(0, slot.count - units)
    return state
  },
  reward({ longestUs }, state, units, nowUs) {
    let rest = units
    for (const slot of state.toReversed()) {
      if (rest === 0 || slot.endUs + longestUs <= nowUs) break
      const given = Math.min(rest, slot.count)
      slot.count -= given
      rest -= given
    }
    return state
  },
  repair({ slotUs }, state, nowUs) {
    const furthestUs = nowUs + slotUs + slipUs
    if ((state[state.length - 1]?.endUs ?? 0) <= furthestUs) return state
    const kept = state.filter(({ endUs }) => endUs <= furthestUs)
    const ahead = sumOf(state, 0, furthestUs)
    return ahead === 0 ? kept : addTo(kept, nowUs - (nowUs % slotUs) + slotUs, ahead)
  },
  idleUs: ({ longestUs }, slots, nowUs) =>
    (slots[slots.length - 1]?.endUs ?? nowUs - longestUs) + longestUs - nowUs,
  redis: inRedis(({ slotUs, windows }) => [
    slotUs,
    windows.length,
    ...windows.flatMap(({ limit, windowUs }) => [limit, windowUs]),
  ]),
})

/** Adds units to the slot that ends at `endUs`; slots are ordered by their ends. */
function addTo(slots: readonly Slot[], endUs: number, units: number): State {
  const at = slots.findIndex((slot) => slot.endUs >= endUs)
  if (at < 0) return [...slots, { endUs, count: units }]
  const found = slots[at]
  if (found?.endUs !== endUs) return [...slots.slice(0, at), { endUs, count: units }, ...slots.slice(at)]
  return [...slots.slice(0, at), { endUs, count: found.count + units }, ...slots.slice(at + 1)]
}
