import type { Policy } from '../policy.ts'
import type { Duration } from '../units.ts'
import type { BlockFor } from './block-for.ts'
import { like, limit, maxEntries, mostAtOnce, noteBytes, window } from './common-options.ts'
import { removeNewest } from './entries.ts'
import type { ReadOptions } from './options.ts'
import { inRedis, strategyFrom } from './strategy-from.ts'
import type { Fractions } from './unit.ts'
import {
  chosenBeside,
  isMixed,
  lasting,
  lookWindow,
  repairedEndUs,
  spanOf,
  usualArgument,
  type WindowDraft,
  type WindowNumbers,
} from './window.ts'

export interface AttributedWindowOptions {
  /** At most 100,000, because every admitted unit keeps a note for a window. */
  limit: number
  /** Such as '1m'; a number is milliseconds. */
  window: Duration
  /** The longest note, in bytes; a longer one is cut, never inside a character. @default 64 */
  noteBytes?: number | undefined
}

export interface Numbers extends ReadOptions<AttributedWindowOptions>, WindowNumbers {}

interface Entry {
  readonly call: string
  readonly note: string
  readonly atUs: number
}

interface State {
  endUs: number
  entries: Entry[]
  /** Set if a policy that was chosen for a call has opened the window: how long that policy's windows are. */
  spanUs?: number | undefined
}

/**
 * A fixed window that stores a short text for each admitted unit (the check's `note`), so that `inspect` shows what used it up.
 * Around a boundary up to twice the limit can pass, as with `fixedWindow`, which is cheaper if you do not need the notes.
 *
 * @example attributedWindow({ limit: 30, window: '10s' })
 */
export const attributedWindow: (
  options: AttributedWindowOptions & BlockFor & Fractions,
) => Policy<'refund' | 'penalize' | 'reward' | 'note'> = strategyFrom<
  AttributedWindowOptions,
  Numbers,
  State,
  WindowDraft,
  'refund' | 'penalize' | 'reward' | 'note'
>({
  name: 'attributedWindow',
  code: 'aw',
  refusalsLast: true,
  can: ['refund', 'penalize', 'reward', 'note'],
  wants: ['call', 'note'],
  options: {
    limit: like(limit, { max: maxEntries }),
    window,
    noteBytes,
  },
  chosen: chosenBeside,
  look(numbers, state, nowUs, cost) {
    const { limit, windowUs } = numbers
    const ownEndUs = nowUs + windowUs
    if (state === undefined || state.endUs <= nowUs) {
      const opened = { limit, endUs: ownEndUs, count: 0, running: false, spanUs: spanOf(numbers) }
      return lookWindow(opened, nowUs, cost)
    }
    const { endUs, spanUs, entries } = state
    const after = isMixed(numbers, state) ? lasting(state, numbers, ownEndUs) : undefined
    const window = { limit, endUs, count: entries.length, running: true, spanUs }
    return lookWindow(window, nowUs, cost, after)
  },
  take(state, { endUs, running, count, spanUs, limit }, { nowUs, id, note }) {
    const entries = running && state !== undefined ? state.entries : []
    const entry = { call: id, note, atUs: nowUs }
    const total = Math.min(count, entries.length + mostAtOnce(limit), maxEntries)
    while (entries.length < total) entries.push(entry)
    return { endUs, entries, spanUs }
  },
  tellsCounts: () => true,
  receipt: ({ endUs, entries }) => `${endUs}:${entries[entries.length - 1]?.call}`,
  give(state, units, nowUs, { receipt }) {
    const call = receipt.slice(receipt.indexOf(':') + 1)
    const isOfThisWindow = receipt === '' || state.endUs === Number.parseInt(receipt, 10)
    if (state.endUs <= nowUs || !isOfThisWindow) return state
    const { entries } = state
    removeNewest([entries], { count: units, goes: (n) => entries[n]?.call === call })
    return state
  },
  reward(_numbers, state, units, nowUs) {
    const { endUs, entries } = state
    if (endUs > nowUs) entries.length = Math.max(0, entries.length - units)
    return state
  },
  repair(numbers, state, nowUs) {
    const endUs = repairedEndUs(state, numbers, { nowUs })
    return endUs === state.endUs ? state : { ...state, endUs }
  },
  entries: ({ endUs, entries }, nowUs) => (endUs > nowUs ? entries : []),
  idleUs: (_numbers, { endUs }, nowUs) => endUs - nowUs,
  redis: inRedis((numbers) => [numbers.limit, numbers.windowUs, usualArgument(numbers)]),
})
