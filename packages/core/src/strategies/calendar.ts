import { optionError } from '../errors.ts'

/** A day, week or month of a calendar; the end belongs to the next one. In microseconds since 1970. */
export interface CalendarWindow {
  readonly startUs: number
  readonly endUs: number
}

/** Windows that differ in length. */
export interface Calendar {
  /** The window that an instant lies in. */
  windowAt(us: number): CalendarWindow
}

export type Every = 'day' | 'week' | 'month'
export type FirstDay = 'monday' | 'saturday' | 'sunday'

const dayMs = 86_400_000
/** Of 1970-01-01, a Thursday, since the week's first day. */
const daysIntoWeek = { monday: 3, saturday: 5, sunday: 4 } as const
/** Requests about the window before are rare, and those about others rarer. */
const mostRecent = 4

/** The calendar of a time zone. A window's end is worked out once; policies with the same options share their calendar. */
export class ZoneCalendar implements Calendar {
  readonly every: Every
  readonly timeZone: string
  /** Only of weeks. */
  readonly firstDayOfWeek: FirstDay | undefined
  /** The one that was worked out last comes first. */
  #recent: readonly CalendarWindow[] = []

  constructor({
    every,
    timeZone,
    firstDayOfWeek,
  }: Pick<ZoneCalendar, 'every' | 'timeZone' | 'firstDayOfWeek'>) {
    this.every = every
    this.timeZone = timeZone
    this.firstDayOfWeek = firstDayOfWeek
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
    const clock = new ZoneClock(this.timeZone)
    let date = this.#firstDate(clock.wallAt(ms))
    let startMs = clock.firstAt(date)
    // A clock that is set back over midnight shows the old date once more, in the new window.
    for (;;) {
      date = this.#nextDate(date)
      const endMs = clock.firstAt(date)
      if (ms < endMs) return { startUs: startMs * 1000, endUs: endMs * 1000 }
      startMs = endMs
    }
  }

  /** The first day of the window that has this day. Days are their midnights, as if in UTC. */
  #firstDate(wallMs: number): number {
    const days = Math.floor(wallMs / dayMs)
    if (this.every === 'day') return days * dayMs
    if (this.every === 'month') return firstOfMonth(wallMs, 0)
    const into = (days + daysIntoWeek[this.firstDayOfWeek ?? 'monday']) % 7
    return (days - ((into + 7) % 7)) * dayMs
  }

  #nextDate(date: number): number {
    if (this.every === 'month') return firstOfMonth(date, 1)
    return date + (this.every === 'day' ? dayMs : 7 * dayMs)
  }
}

function firstOfMonth(wallMs: number, later: number): number {
  const date = new Date(wallMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1)
}

/** What clocks in a time zone show, as milliseconds since 1970 as if they were in UTC. Instants are cut to whole seconds. */
class ZoneClock {
  readonly #format: Intl.DateTimeFormat

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  }

  wallAt(ms: number): number {
    const text = this.#format.format(Math.floor(ms / 1000) * 1000)
    const [month = 0, day = 0, year = 0, hour, minute, second] = text.split(/\D+/).map(Number)
    return Date.UTC(year, month - 1, day, hour, minute, second)
  }

  /** The first instant at which clocks show this time or, where they skip it, a later one. */
  firstAt(wallMs: number): number {
    const offsets = [wallMs - dayMs, wallMs + dayMs].map((ms) => this.wallAt(ms) - ms)
    let early = wallMs - Math.max(...offsets)
    if (this.wallAt(early) === wallMs) return early
    let late = wallMs - Math.min(...offsets)
    if (this.wallAt(late) === wallMs) return late
    while (late - early > 1000) {
      const middle = early + Math.floor((late - early) / 2000) * 1000
      if (this.wallAt(middle) < wallMs) early = middle
      else late = middle
    }
    return late
  }
}

const calendars = new Map<string, ZoneCalendar>()
/** Three times the zones that there are; a zone may be written in upper and lower case. */
const mostCalendars = 2000

/** The zone must be a valid one. */
export function calendarOf(
  every: Every,
  timeZone: string,
  firstDayOfWeek: FirstDay | undefined,
): ZoneCalendar {
  const id = `${every} ${timeZone} ${firstDayOfWeek ?? ''}`
  const known = calendars.get(id)
  if (known !== undefined) return known
  if (calendars.size >= mostCalendars) calendars.clear()
  const calendar = new ZoneCalendar({ every, timeZone, firstDayOfWeek })
  calendars.set(id, calendar)
  return calendar
}

/** Throws an OptionError for what is no time zone. */
export function readTimeZone(value: unknown, path: string): string {
  if (typeof value === 'string' && isTimeZone(value)) return value
  throw optionError(path, 'a time zone such as "Europe/Vienna" or "UTC"', value)
}

const timeZones = new Set<string>()

function isTimeZone(text: string): boolean {
  if (timeZones.has(text)) return true
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: text })
  } catch {
    return false
  }
  if (timeZones.size >= mostCalendars) timeZones.clear()
  timeZones.add(text)
  return true
}
