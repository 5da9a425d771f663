import type { Policy } from '../policy.ts'
import type { Duration } from '../units.ts'
import type { BlockFor } from './block-for.ts'
import { asChosen, type MaybeChosen, shareOf, unitAbilities } from './common-options.ts'
import { type Bad, type StrategyDraft, slipUs } from './definition.ts'
import type { ReadOptions, Window } from './options.ts'
import { inRedis, strategyFrom } from './strategy-from.ts'
import type { Fractions } from './unit.ts'
import { longerWindow } from './window.ts'
import { readWindows, windowsInUnits } from './windows-option.ts'

export interface MultiWindowOptions {
  /** Limits, longer windows with higher limits, e.g. 1000 per 1 s, 5000 per 10 s, 7000 per 15 s; at most 16. */
  limits: readonly { limit: number; window: Duration }[]
  /** Length of the counted slots: a window may refuse for up to one slot longer than an exact log. @default shortest window / 10, at least longest / 120 */
  slot?: Duration | undefined
}

export interface Numbers extends MaybeChosen {
  readonly slotUs: number
  /** The shortest first. */
  readonly windows: readonly Window[]
  readonly longestUs: number
}

interface Slot {
  readonly endUs: number
  count: number
  /** If a policy that was chosen for a call has charged the slot, the longest window of that policy; 0: the limiter's own has. */
  readonly spanUs: number
}

/** The oldest first. */
type Slots = readonly Slot[]

interface State {
  readonly slots: Slots
  /** Until when the state matters. */
  readonly untilUs: number
}

interface MultiDraft extends StrategyDraft {
  readonly numbers: Numbers
  readonly currentUs: number
  readonly cost: number
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
function sumOf(slots: Slots, windowUs: number, nowUs: number): number {
  let sum = 0
  for (const { endUs, count } of slots) if (endUs + windowUs > nowUs) sum += count
  return sum
}

/** Time until `excess` units have left the window. */
function waitFor(slots: Slots, windowUs: number, nowUs: number, excess: number): number {
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

/** Whether slots may count that other numbers than the call's have charged. */
function isMixed(slots: Slots, { chosen }: Numbers): boolean {
  return chosen === true || slots.some(({ spanUs }) => spanUs > 0)
}

/** Slots that some window counts. A chosen policy keeps all slots of the limiter's own numbers: only calls with these drop them. */
function counted(slots: Slots, { longestUs, chosen }: Numbers, nowUs: number): Slots {
  return slots.filter(({ endUs, spanUs }) => {
    return endUs + Math.max(longestUs, spanUs) > nowUs || (spanUs === 0 && chosen === true)
  })
}

/** Until when slots matter: at least as long as before if other numbers than the call's may have charged them. */
function untilOf(
  slots: Slots,
  numbers: Numbers,
  { nowUs, untilUs }: { nowUs: number; untilUs: number },
): number {
  const newest = slots[slots.length - 1]
  if (newest === undefined) return nowUs
  const endUs = newest.endUs + numbers.longestUs
  return isMixed(slots, numbers) ? Math.max(untilUs, endUs) : endUs
}

/**
 * Several limits on one stream of requests: a short burst may pass, a sustained one may not. No window is ever exceeded.
 * The result describes the window that refuses. Cost and memory grow with the number of slots, not of requests.
 *
 * @example multiWindow({ limits: [{ limit: 1000, window: '1s' }, { limit: 5000, window: '10s' }, { limit: 7000, window: '15s' }] })
 */
export const multiWindow: (
  options: MultiWindowOptions & BlockFor & Fractions,
) => Policy<'refund' | 'penalize' | 'reward'> = strategyFrom<
  MultiWindowOptions,
  Numbers,
  State,
  MultiDraft,
  'refund' | 'penalize' | 'reward'
>({
  name: 'multiWindow',
  code: 'mw',
  can: unitAbilities,
  refusalsLast: true,
  options: {
    limits: {
      kind: 'windows',
      read: readWindows,
      inUnits: windowsInUnits,
      max: 16,
      example: [
        { limit: 20, window: '1s' },
        { limit: 100, window: '10s' },
      ],
    },
    slot: {
      kind: 'duration',
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
  later: {
    how: 'reservable(multiWindow({ … }))',
    dueUs({ windows }, { slots }, nowUs) {
      let waitUs = 0
      for (const { limit, windowUs } of windows) {
        const excess = sumOf(slots, windowUs, nowUs) - limit
        waitUs = Math.max(waitUs, waitFor(slots, windowUs, nowUs, excess))
      }
      return nowUs + waitUs
    },
    newest({ slots }) {
      const newest = slots.findLast(({ count }) => count > 0)
      return `${newest?.endUs}:${newest?.count}`
    },
  },
  chosen: asChosen,
  look(numbers, state, nowUs, cost) {
    const { slotUs, windows, longestUs } = numbers
    const slots = state?.slots ?? []
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
    // After a change of the slot length, or a small step back of the clock, a slot may end later than the current one.
    const newestUs = Math.max(currentUs, newest?.endUs ?? 0)
    const isTaken = refusing === undefined && cost > 0
    const { limit, left } = refusing ?? least
    return {
      allowed: refusing === undefined,
      limit,
      remaining: isTaken ? left - cost : left,
      retryAfterUs: refusing === undefined ? 0 : cost > (windows[0]?.limit ?? 0) ? null : refusing.waitUs,
      resetAfterUs: isTaken ? newestUs + longestUs - nowUs : untouchedUs,
      numbers,
      currentUs,
      cost,
    }
  },
  take(state, { numbers, currentUs, cost }, { nowUs }) {
    const { longestUs, chosen } = numbers
    const charged = { endUs: currentUs, count: cost, spanUs: chosen ? longestUs : 0 }
    const slots = addTo(counted(state?.slots ?? [], numbers, nowUs), charged)
    return { slots, untilUs: untilOf(slots, numbers, { nowUs, untilUs: state?.untilUs ?? 0 }) }
  },
  receipt: (_state, { currentUs, numbers: { chosen, longestUs } }) =>
    chosen ? `${currentUs}:${longestUs}` : currentUs,
  give(state, units, _nowUs, { receipt }) {
    const [chargedUs, chargedSpanUs = 0] = receipt.split(':').map(Number)
    for (const slot of state.slots)
      if (slot.endUs === chargedUs && slot.spanUs === chargedSpanUs)
        slot.count = Math.max(0, slot.count - units)
    return state
  },
  reward({ longestUs }, state, units, nowUs) {
    let rest = units
    for (const slot of state.slots.toReversed()) {
      if (rest === 0 || slot.endUs + longestUs <= nowUs) break
      const given = Math.min(rest, slot.count)
      slot.count -= given
      rest -= given
    }
    return state
  },
  repair(numbers, state, nowUs, slip = slipUs) {
    const { slots, untilUs } = state
    const { slotUs, chosen } = numbers
    const latestUs = nowUs + slotUs + slip
    const isAhead = ({ endUs, spanUs }: Slot) =>
      spanUs === 0 ? chosen !== true && endUs > latestUs : endUs > Math.max(latestUs, nowUs + spanUs + slip)
    const ahead = slots.filter(isAhead)
    if (ahead.length === 0) return state
    let kept: Slots = slots.filter((slot) => !isAhead(slot))
    const endUs = nowUs - (nowUs % slotUs) + slotUs
    for (const { count, spanUs } of ahead) if (count > 0) kept = addTo(kept, { endUs, count, spanUs })
    return { slots: kept, untilUs: untilOf(kept, numbers, { nowUs, untilUs }) }
  },
  idleUs: (_numbers, { untilUs }, nowUs) => untilUs - nowUs,
  redis: inRedis(({ slotUs, windows, chosen }) => [
    slotUs,
    chosen ? 1 : 0,
    windows.length,
    ...windows.flatMap(({ limit, windowUs }) => [limit, windowUs]),
  ]),
})

/** Adds units to a slot; slots are ordered by `endUs`, and then by `spanUs`. */
function addTo(slots: Slots, added: Slot): Slots {
  const at = slots.findIndex(({ endUs, spanUs }) =>
    endUs === added.endUs ? spanUs >= added.spanUs : endUs > added.endUs,
  )
  if (at < 0) return [...slots, added]
  const found = slots[at]
  if (found?.endUs !== added.endUs || found.spanUs !== added.spanUs)
    return [...slots.slice(0, at), added, ...slots.slice(at)]
  return [...slots.slice(0, at), { ...added, count: found.count + added.count }, ...slots.slice(at + 1)]
}
