import { optionError } from '../errors.ts'
import { checkNames, wholeNumber } from '../options.ts'
import type { Policy } from '../policy.ts'
import { type Duration, durationUs } from '../units.ts'
import { type Draft, defineStrategy } from './definition.ts'
import { multiWindowLua } from './lua.generated.ts'
import { spanWords } from './picture.ts'
import { shareOf } from './share.ts'
import { slipUs } from './slip.ts'

export interface MultiWindowOptions {
  /** Limits that rise with their windows, e.g. 1000 per 1 s, 5000 per 10 s, 7000 per 15 s; at most 16. */
  limits: readonly { limit: number; window: Duration }[]
  /** Length of the slots that are counted: a window may refuse up to one slot longer than an exact log. @default shortest window / 10, at least longest / 120 */
  slot?: Duration | undefined
}

interface Window {
  readonly limit: number
  readonly windowUs: number
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

interface MultiDraft extends Draft {
  readonly currentUs: number
  readonly cost: number
  readonly oldestUs: number
}

function parseWindows(limits: unknown): readonly Window[] {
  if (!Array.isArray(limits) || limits.length === 0 || limits.length > 16) {
    throw optionError('limits', 'a list of 1 to 16 limits such as { limit: 1000, window: "1s" }', limits)
  }
  const windows = limits.map((entry: MultiWindowOptions['limits'][number], i) => {
    checkNames(entry, `limits[${i}]`, ['limit', 'window'])
    return {
      limit: wholeNumber(entry.limit, `limits[${i}].limit`, 1),
      windowUs: durationUs(entry.window, `limits[${i}].window`),
    }
  })
  windows.sort((a, b) => a.windowUs - b.windowUs)
  for (const [i, { limit, windowUs }] of windows.entries()) {
    const shorter = windows[i - 1]
    if (shorter === undefined || (limit > shorter.limit && windowUs > shorter.windowUs)) continue
    throw optionError(
      'limits',
      `limits that rise with their windows (more than ${shorter.limit} in the longer one)`,
      limit,
    )
  }
  return windows
}

function parseSlotUs(slot: unknown, shortestUs: number, longestUs: number): number {
  if (slot === undefined) return Math.max(1, Math.ceil(shortestUs / 10), Math.ceil(longestUs / 120))
  const slotUs = durationUs(slot, 'slot')
  if (longestUs / slotUs <= 512) return slotUs
  throw optionError(
    'slot',
    `at least a 512th of the longest window (${Math.ceil(longestUs / 512) / 1000} ms)`,
    slot,
  )
}

function parse(options: MultiWindowOptions): Numbers {
  checkNames(options, '', ['limits', 'slot'])
  const windows = parseWindows(options.limits)
  const shortestUs = windows[0]?.windowUs ?? 0
  const longestUs = windows[windows.length - 1]?.windowUs ?? 0
  const slotUs = parseSlotUs(options.slot, shortestUs, longestUs)
  if (slotUs * 2 > shortestUs) {
    const expected =
      'at most half of the shortest window (windows further apart than 60 times want two policies)'
    throw optionError('slot', expected, options.slot ?? `${slotUs / 1000}ms`)
  }
  return { slotUs, windows, longestUs }
}

/** What a window counts; the oldest partial slot in full. */
function sumOf(slots: State, windowUs: number, nowUs: number): number {
  let sum = 0
  for (const { endUs, count } of slots) if (endUs + windowUs > nowUs) sum += count
  return sum
}

/** How long until so many units have left the window. */
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
 * Several limits over one stream of requests: a short burst is fine, a sustained one is not. No window is ever exceeded.
 * The answer speaks of the window that refuses. Cost and memory grow with the number of slots, not of requests.
 *
 * @example multiWindow({ limits: [{ limit: 1000, window: '1s' }, { limit: 5000, window: '10s' }, { limit: 7000, window: '15s' }] })
 */
export const multiWindow: (options: MultiWindowOptions) => Policy<'refund' | 'penalize'> = defineStrategy<
  MultiWindowOptions,
  Numbers,
  State,
  MultiDraft,
  'refund' | 'penalize'
>({
  name: 'multiWindow',
  code: 'mw',
  can: ['refund', 'penalize'],
  parse,
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
    // After a change of the slots' length, or a small step back of the clock, a slot may end later than the current one.
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
  repair({ slotUs }, state, nowUs) {
    const furthestUs = nowUs + slotUs + slipUs
    if ((state[state.length - 1]?.endUs ?? 0) <= furthestUs) return state
    const kept = state.filter(({ endUs }) => endUs <= furthestUs)
    const ahead = sumOf(state, 0, furthestUs)
    return ahead === 0 ? kept : addTo(kept, nowUs - (nowUs % slotUs) + slotUs, ahead)
  },
  idleUs: ({ longestUs }, slots, nowUs) =>
    (slots[slots.length - 1]?.endUs ?? nowUs - longestUs) + longestUs - nowUs,
  redis: {
    encode: ({ slotUs, windows }) => [
      slotUs,
      windows.length,
      ...windows.flatMap(({ limit, windowUs }) => [limit, windowUs]),
    ],
    lua: multiWindowLua,
  },
})

/** Units into the slot that ends then, in the order of the ends. */
function addTo(slots: readonly Slot[], endUs: number, units: number): State {
  const at = slots.findIndex((slot) => slot.endUs >= endUs)
  if (at < 0) return [...slots, { endUs, count: units }]
  const found = slots[at]
  if (found?.endUs !== endUs) return [...slots.slice(0, at), { endUs, count: units }, ...slots.slice(at)]
  return [...slots.slice(0, at), { endUs, count: found.count + units }, ...slots.slice(at + 1)]
}
