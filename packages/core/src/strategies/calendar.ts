import { clockOf, type ZoneClock } from './zone-clock.ts'

/** A window of a calendar; the end belongs to the next one. In microseconds since 1970. */
export interface CalendarWindow {
  readonly startUs: number
  readonly endUs: number
}

/** Windows that differ in length. */
export interface Calendar {
  /** The window that an instant lies in. */
  windowAt(us: number): CalendarWindow
}

export const everies = ['day', 'week', 'month', 'quarter', 'year'] as const
export type Every = (typeof everies)[number]
export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const
export type Weekday = (typeof weekdays)[number]
export const monthNames = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
] as const
export type Month = (typeof monthNames)[number]

/** Where the windows of a calendar begin. */
export interface CalendarRule {
  readonly every: Every
  readonly timeZone: string
  readonly startsAt?: string | undefined
  readonly firstDayOfWeek?: Weekday | undefined
  readonly firstDayOfMonth?: number | undefined
  readonly firstMonth?: Month | undefined
  /** One of the windows begins then, and all others at its day and time. */
  readonly sinceUs?: number | undefined
}

/** The first day of one window: a day of a month counted from January 1970, which may have fewer days, and a time of day. */
interface Anchor {
  readonly month: number
  readonly day: number
  readonly timeMs: number
}

const dayMs = 86_400_000
const lengths = {
  day: { months: 0, days: 1 },
  week: { months: 0, days: 7 },
  month: { months: 1, days: 31 },
  quarter: { months: 3, days: 92 },
  year: { months: 12, days: 366 },
} as const
/** 5 January 1970 was a Monday. */
const firstMonday = 5
/** Requests about the window before are rare, and those about others rarer. */
const mostRecent = 4

/** The days of the longest window. */
export function mostDays(every: Every): number {
  return lengths[every].days
}

/** The calendar of a time zone. A window's end is worked out once; policies with the same options share their calendar. */
export class ZoneCalendar implements Calendar {
  readonly every: Every
  readonly timeZone: string
  /** Where its windows begin, as people say it. */
  readonly begins: string
  readonly #clock: ZoneClock
  readonly #anchor: Anchor
  readonly #sinceMs: number | undefined
  /** The one that was worked out last comes first. */
  #recent: readonly CalendarWindow[] = []

  constructor(rule: CalendarRule, begins: string) {
    this.every = rule.every
    this.timeZone = rule.timeZone
    this.begins = begins
    this.#clock = clockOf(rule.timeZone)
    this.#sinceMs = rule.sinceUs === undefined ? undefined : rule.sinceUs / 1000
    this.#anchor = this.#sinceMs === undefined ? anchorOf(rule) : anchorAt(this.#clock.wallAt(this.#sinceMs))
  }

  windowAt(us: number): CalendarWindow {
    const recent = this.#recent
    for (let i = 0; i < recent.length; i++) {
      const window = recent[i]
      if (window !== undefined && us >= window.startUs && us < window.endUs) return window
    }
    const window = this.#workOut(Math.floor(us / 1000))
    this.#recent = [window, ...recent.slice(0, mostRecent - 1)]
    return window
  }

  #workOut(ms: number): CalendarWindow {
    let place = this.#placeOf(this.#clock.wallAt(ms))
    let startMs = this.#startOf(place)
    while (startMs > ms) startMs = this.#startOf(--place)
    // A clock that is set back shows an old date once more, in the new window; and windows are empty where a country skipped a day.
    for (;;) {
      const endMs = this.#startOf(++place)
      if (ms < endMs) return { startUs: startMs * 1000, endUs: endMs * 1000 }
      startMs = endMs
    }
  }

  /** The window that has this day, counted from the anchor's, or the one after it. */
  #placeOf(wallMs: number): number {
    const { months, days } = lengths[this.every]
    const { month, day } = this.#anchor
    if (months > 0) return Math.floor((monthOf(wallMs) - month) / months)
    return Math.floor((wallMs - Date.UTC(1970, month, day)) / (days * dayMs))
  }

  /** A month that is too short for its day begins on its last. */
  #startOf(place: number): number {
    if (place === 0 && this.#sinceMs !== undefined) return this.#sinceMs
    const { months, days } = lengths[this.every]
    const { month, day, timeMs } = this.#anchor
    const own = month + place * months
    const date =
      months > 0
        ? Math.min(Date.UTC(1970, own, day), Date.UTC(1970, own + 1, 0))
        : Date.UTC(1970, own, day + place * days)
    return this.#clock.firstAt(date + timeMs)
  }
}

function anchorOf({
  every,
  startsAt = '',
  firstDayOfWeek,
  firstDayOfMonth = 1,
  firstMonth,
}: CalendarRule): Anchor {
  const [hours = 0, minutes = 0] = startsAt.split(':').map(Number)
  return {
    month: Math.max(0, monthNames.indexOf(firstMonth ?? 'january')),
    day: every === 'week' ? firstMonday + weekdays.indexOf(firstDayOfWeek ?? 'monday') : firstDayOfMonth,
    timeMs: (hours * 60 + minutes) * 60_000,
  }
}

function anchorAt(wallMs: number): Anchor {
  const date = new Date(wallMs)
  return { month: monthOf(wallMs), day: date.getUTCDate(), timeMs: wallMs - date.setUTCHours(0, 0, 0, 0) }
}

/** Counted from January 1970. */
function monthOf(wallMs: number): number {
  const date = new Date(wallMs)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

const calendars = new Map<string, ZoneCalendar>()
const mostCalendars = 2000

/** The zone must be a valid one. */
export function calendarOf(rule: CalendarRule): ZoneCalendar {
  const begins = beginsBy(rule)
  const id = `${rule.every} ${rule.timeZone} ${begins}`
  const known = calendars.get(id)
  if (known !== undefined) return known
  if (calendars.size >= mostCalendars) calendars.clear()
  const calendar = new ZoneCalendar(rule, begins)
  calendars.set(id, calendar)
  return calendar
}

/** ` from april 6 09:00`; nothing where it is midnight on the first. */
function beginsBy({ sinceUs, firstMonth, firstDayOfMonth, firstDayOfWeek, startsAt }: CalendarRule): string {
  if (sinceUs !== undefined) return ` since ${new Date(sinceUs / 1000).toISOString()}`
  const day = firstDayOfMonth === 1 ? undefined : firstDayOfMonth
  const time = startsAt === '00:00' ? undefined : startsAt
  const words = [firstMonth, day, firstDayOfWeek, time].filter((word) => word !== undefined)
  return words.length === 0 ? '' : ` from ${words.join(' ')}`
}
