import type { Policy } from '../policy.ts'
import type { Duration } from '../units.ts'
import type { BlockFor } from './block-for.ts'
import { calendarOf, readTimeZone, type ZoneCalendar } from './calendar.ts'
import { type Every, readEvery, spans } from './calendar-text.ts'
import { limit, period, unitAbilities } from './common-options.ts'
import { slipUs } from './definition.ts'
import type { ReadOptions } from './options.ts'
import { inRedis, strategyFrom } from './strategy-from.ts'
import type { Fractions } from './unit.ts'
import {
  chosenBeside,
  cutAgain,
  fitsWindow,
  isMixed,
  lasting,
  lookWindow,
  packedWindow,
  repairedEndUs,
  spanOf,
  usualArgument,
  type WindowDraft,
  type WindowNumbers,
  type WindowState,
} from './window.ts'

type FirstDay = 'monday' | 'saturday' | 'sunday'

/** Windows of one length, or those of a calendar. */
export type FixedWindowOptions = {
  /** Units per window; 0 refuses all. */
  limit: number
} & (SameLengthOptions | CalendarOptions)

interface SameLengthOptions {
  /** Such as '1m'; a number is milliseconds. */
  window: Duration
  /**
   * Whether a window starts at a key's first hit, or for all keys at multiples of its length since 1970-01-01, 00:00
   * UTC. So `1m`, `1h` and `1d` start with the minute, the hour and the day in UTC; `7d` starts on Thursdays, and `30d` on no particular
   * day: use `every` for a week or a month of the calendar. @default 'first-hit'
   *
   * @example fixedWindow({ limit: 1000, window: '1d', start: 'clock' }) // a new quota each midnight, UTC
   */
  start?: 'first-hit' | 'clock' | undefined
  every?: undefined
  timeZone?: undefined
  firstDayOfWeek?: undefined
}

interface CalendarOptions {
  /**
   * A window is a day, week, month, quarter or year of the calendar in `timeZone`: a day has 23 or 25 hours where clocks are changed. It
   * begins at midnight on the first day, or where the text says. In a month without such a day it begins on the last. Where each key
   * has a beginning of its own, say it with each call: `check(key, { since })`.
   *
   * @example fixedWindow({ limit: 1000, every: 'month', timeZone: 'Europe/Vienna' }) // a new quota on the first of each month
   * @example fixedWindow({ limit: 1000, every: 'month from 31', timeZone: 'Europe/Vienna' }) // 31 January, 28 February, 31 March …
   * @example fixedWindow({ limit: 1000, every: 'week from wednesday', timeZone: 'Europe/Vienna' })
   */
  every: Every
  /** A name of the IANA time zone database. */
  timeZone: string
  /** `every: 'week', firstDayOfWeek: 'sunday'` is `every: 'week from sunday'`. @default 'monday' */
  firstDayOfWeek?: FirstDay | undefined
  window?: undefined
  start?: undefined
}

type Options = Pick<FixedWindowOptions, keyof FixedWindowOptions>

/** Options as they were read: one that does not go with the others is undefined. */
type Read = Pick<Options, 'limit'> & Partial<ReadOptions<Options>>

/** With a calendar, `windowUs` is the length of its longest window. */
export interface Numbers extends WindowNumbers {
  readonly limit: number
  readonly aligned: boolean
  readonly calendar: ZoneCalendar | undefined
}

const dayUs = 86_400e6
/** How much longer a calendar's window may be, as clocks are set back. */
const clockChangeUs = 3600e6

function numbersOf({ limit, windowUs = 0, start, every, timeZone, firstDayOfWeek }: Read): Numbers {
  const aligned = start === 'clock'
  if (!every || !timeZone) return { limit, windowUs, aligned, calendar: undefined }
  const from = firstDayOfWeek === undefined ? '' : ` from ${firstDayOfWeek}`
  const calendar = calendarOf(every + from, timeZone)
  return { limit, windowUs: calendar.days * dayUs + clockChangeUs, aligned: true, calendar }
}

/** Where a window that begins now ends. */
function endOf({ windowUs, aligned, calendar }: Numbers, nowUs: number): number {
  if (calendar !== undefined) return calendar.windowAt(nowUs).endUs
  return aligned ? nowUs - (nowUs % windowUs) + windowUs : nowUs + windowUs
}

/**
 * When the window of a state begins that lies ahead. A window of another length than a calendar's was opened by other numbers, so the
 * calendar does not say when it begins. 0: it runs, or the calendar has no such window.
 */
function startOf(
  { windowUs, calendar }: Numbers,
  { endUs, spanUs = windowUs }: WindowState,
  nowUs: number,
): number {
  if (calendar === undefined || spanUs !== windowUs) return endUs - spanUs
  const next = calendar.windowAt(calendar.windowAt(nowUs).endUs)
  return next.endUs === endUs ? next.startUs : 0
}

/** The window that begins now. */
function opened(numbers: Numbers, state: WindowState | undefined, nowUs: number): WindowState {
  const known = state?.cutUs ?? 0
  const cutUs = known > nowUs ? known : undefined
  return { endUs: endOf(numbers, nowUs), count: 0, spanUs: spanOf(numbers), cutUs }
}

/** The receipt names the window that was charged. */
function receiptOf({ endUs, cutUs }: WindowState): string | number {
  return cutUs === undefined ? endUs : `${endUs}:${cutUs}`
}

/** When the calendar's window ends, and the latest end that a state may have: if less than the slip is left, that of the next window. */
function calendarEnds(
  calendar: ZoneCalendar,
  nowUs: number,
  slip: number,
): { latestUs: number; ownUs: number } {
  const ownUs = calendar.windowAt(nowUs).endUs
  return { ownUs, latestUs: ownUs <= nowUs + slip ? calendar.windowAt(ownUs).endUs : ownUs }
}

/** A bound below all window lengths: a month may have three days less than another, a day an hour less, and it may begin an hour late. */
function shortestUs({ days }: ZoneCalendar): number {
  return (days > 7 ? days - 3 : days) * dayUs - 2 * clockChangeUs
}

/**
 * At most `limit` per window. Around a boundary up to twice the limit can pass within one window's length;
 * use `slidingWindowLog` or `multiWindow` if that is too much.
 *
 * @example fixedWindow({ limit: 100, window: '10s' })
 * @example fixedWindow({ limit: 10_000, every: 'month', timeZone: 'Europe/Vienna' })
 */
export const fixedWindow: (
  options: FixedWindowOptions & BlockFor & Fractions,
) => Policy<'refund' | 'penalize' | 'reward'> = strategyFrom<
  Options,
  Numbers,
  WindowState,
  WindowDraft,
  'refund' | 'penalize' | 'reward'
>({
  name: 'fixedWindow',
  code: 'fw',
  can: unitAbilities,
  refusalsLast: true,
  options: {
    limit,
    window: period,
    start: {
      kind: 'choice',
      choices: ['first-hit', 'clock'],
      default: 'first-hit',
      example: 'clock',
      only: { with: 'window' },
    },
    every: { kind: 'calendar', read: readEvery, choices: spans, insteadOf: 'window' },
    timeZone: { kind: 'time zone', read: readTimeZone, only: { with: 'every' } },
    firstDayOfWeek: {
      kind: 'choice',
      choices: ['monday', 'saturday', 'sunday'],
      default: 'monday',
      only: { with: 'every', is: 'week' },
    },
  },
  numbers: numbersOf,
  calendarOf: ({ calendar }) => calendar,
  ahead: {
    numbers: (numbers, us) => (fitsWindow(numbers.windowUs, us) ? numbers : undefined),
    leftUs: (_numbers, resetAfterUs) => resetAfterUs,
  },
  later: {
    how: 'reservable(fixedWindow({ … }))',
    // When the newest window begins: those before it are full.
    dueUs: startOf,
    newest: ({ endUs }) => `${endUs}`,
    // So that a state says how long its window is.
    numbers: ({ windowUs }) => ({ chosen: true, usualUs: windowUs }),
    mostDebtUs: ({ calendar }) => calendar && shortestUs(calendar),
  },
  chosen: chosenBeside,
  look(numbers, state, nowUs, cost) {
    const running = state !== undefined && state.endUs > nowUs
    const { endUs, count, spanUs, cutUs } = running ? state : opened(numbers, state, nowUs)
    const after =
      running && isMixed(numbers, state) ? lasting(state, numbers, endOf(numbers, nowUs)) : undefined
    return lookWindow({ limit: numbers.limit, endUs, count, running, spanUs, cutUs }, nowUs, cost, after)
  },
  take: (_state, draft) => draft,
  tellsCounts: ({ aligned }) => !aligned,
  receipt: receiptOf,
  give(state, units, nowUs, { receipt }) {
    if (state.endUs <= nowUs || receipt !== `${receiptOf(state)}`) return state
    return { ...state, count: Math.max(0, state.count - units) }
  },
  reward(_numbers, state, units, nowUs) {
    if (state.endUs <= nowUs) return state
    return { ...state, count: Math.max(0, state.count - units) }
  },
  // No window goes on beyond the end of the calendar's.
  repair(numbers, state, nowUs, slip = slipUs) {
    const ends = numbers.calendar && calendarEnds(numbers.calendar, nowUs, slip)
    const endUs = repairedEndUs(state, numbers, { nowUs, slip, ...ends })
    return endUs === state.endUs ? state : { ...state, endUs, cutUs: cutAgain(state, state.endUs) }
  },
  idleUs: (_numbers, { endUs, cutUs = 0 }, nowUs) => Math.max(endUs, cutUs) - nowUs,
  packed: packedWindow,
  redis: inRedis((numbers) => [
    numbers.limit,
    numbers.windowUs,
    numbers.calendar === undefined ? Number(numbers.aligned) : 2,
    usualArgument(numbers),
  ]),
})
