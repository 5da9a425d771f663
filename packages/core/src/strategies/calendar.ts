import { optionError } from '../errors.ts'
import type { Policy } from '../policy.ts'
import { type Beginnings, beginningsOf, instantMs } from './calendar-text.ts'
import type { Calendar, CalendarWindow } from './definition.ts'
import { partsOf } from './policy-parts.ts'
import { policyWith } from './strategy-from.ts'

const dayMs = 86_400_000
const numeric = 'numeric'
/** How many clocks are kept: each has a format of Intl, which is costly to make and takes room. */
const mostClocks = 100

const clocks = new Map<string, ZoneClock>()

/** The clock of a time zone; undefined for a name that is none. */
function clockOf(timeZone: string): ZoneClock | undefined {
  const known = clocks.get(timeZone)
  if (known !== undefined) return known
  try {
    const clock = new ZoneClock(timeZone)
    if (clocks.size >= mostClocks) clocks.clear()
    clocks.set(timeZone, clock)
    return clock
  } catch {
    return undefined
  }
}

/** What clocks in a time zone show, as milliseconds since 1970 as if they were in UTC. */
class ZoneClock {
  readonly #format: Intl.DateTimeFormat

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    })
  }

  wallAt(ms: number): number {
    const wholeMs = Math.floor(ms / 1000) * 1000
    const text = this.#format.format(wholeMs)
    const [month = 0, day = 0, year = 0, hour, minute, second] = text.split(/\D+/).map(Number)
    return Date.UTC(year, month - 1, day, hour, minute, second) + ms - wholeMs
  }

  /** The first instant at which clocks show this time or, where they skip it, the first after the skip. */
  firstAt(wallMs: number): number {
    const offsets = [wallMs - dayMs, wallMs + dayMs].map((ms) => this.wallAt(ms) - ms)
    let early = wallMs - Math.max(...offsets)
    if (this.wallAt(early) === wallMs) return early
    let late = wallMs - Math.min(...offsets)
    if (this.wallAt(late) === wallMs) return late
    while (late - early > 1) {
      const middle = Math.floor((early + late) / 2)
      if (this.wallAt(middle) < wallMs) early = middle
      else late = middle
    }
    return late
  }
}

/** How many windows are kept: requests about the previous one are rare, and those about others rarer. */
const mostRecent = 4

/** The calendar of a time zone. A window's end is worked out once; policies with the same options share their calendar. */
export class ZoneCalendar implements Calendar {
  readonly every: string
  readonly timeZone: string
  readonly #clock: ZoneClock
  readonly #begin: Beginnings
  /** The window that was worked out last comes first. */
  #recent: readonly CalendarWindow[] = []

  /** Of two texts that `readEvery` and `readTimeZone` have read, so that both mean something. */
  constructor(every: string, timeZone: string) {
    this.every = every
    this.timeZone = timeZone
    this.#clock = clockOf(timeZone) as ZoneClock
    const begin = beginningsOf(every) as Beginnings
    const { sinceMs } = begin
    this.#begin = sinceMs === undefined ? begin : { ...begin, ...placeIn(this.#clock.wallAt(sinceMs)) }
  }

  /** How many days the longest window has. */
  get days(): number {
    return this.#begin.days
  }

  windowAt(us: number): CalendarWindow {
    const recent = this.#recent
    for (const window of recent) if (us >= window.startUs && us < window.endUs) return window
    const window = this.#workOut(Math.floor(us / 1000))
    this.#recent = [window, ...recent.slice(0, mostRecent - 1)]
    return window
  }

  since(policy: Policy, since: unknown): Policy {
    return policySince(policy, this.#begin.span, since)
  }

  #workOut(ms: number): CalendarWindow {
    let place = this.#placeOf(this.#clock.wallAt(ms))
    let startMs = this.#startOf(place)
    while (startMs > ms) startMs = this.#startOf(--place)
    // Clocks that are set back show an old date once more, in the new window; and windows are empty where a country skipped a day.
    for (;;) {
      const endMs = this.#startOf(++place)
      if (ms < endMs) return { startUs: startMs * 1000, endUs: endMs * 1000 }
      startMs = endMs
    }
  }

  /**
   * The number of the window of this day, counted from the one that `#begin` names; that of the next window if it begins later on the
   * same day, or in the same month.
   */
  #placeOf(wallMs: number): number {
    const { months, days, month, day } = this.#begin
    if (months > 0) return Math.floor((placeIn(wallMs).month - month) / months)
    return Math.floor((wallMs - Date.UTC(1970, month, day)) / (days * dayMs))
  }

  /** When a window begins, by its number: in a month without such a day, on the last day. */
  #startOf(place: number): number {
    const { months, days, month, day, timeMs, sinceMs } = this.#begin
    if (place === 0 && sinceMs !== undefined) return sinceMs
    const own = month + place * months
    const date =
      months > 0
        ? Math.min(Date.UTC(1970, own, day), Date.UTC(1970, own + 1, 0))
        : Date.UTC(1970, own, day + place * days)
    return this.#clock.firstAt(date + timeMs)
  }
}

/** The month that a clock shows, counted from January 1970, the day and the time of day. */
function placeIn(wallMs: number): Pick<Beginnings, 'month' | 'day' | 'timeMs'> {
  const date = new Date(wallMs)
  const month = (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
  return { month, day: date.getUTCDate(), timeMs: wallMs - date.setUTCHours(0, 0, 0, 0) }
}

/** How many instants are kept for each policy. */
const mostKnown = 1000

const known = new WeakMap<Policy, Map<number, Policy>>()

const expected =
  'a valid Date, milliseconds since 1970 (not seconds) or a string such as "2024-01-31T09:00:00Z"'

/**
 * The policy with days, weeks, months, quarters or years that count from an instant which a call has said. The same object for the same
 * instant, as stores compare policies by identity, until it was asked for a thousand others.
 */
function policySince(policy: Policy, span: string, since: unknown): Policy {
  const ms = instantMs(since)
  if (Number.isNaN(ms)) throw optionError('since', expected, since)
  const all = known.get(policy) ?? new Map<number, Policy>()
  const found = all.get(ms)
  if (found !== undefined) return found
  const { definition, options } = partsOf(policy)
  const every = `${span} since ${new Date(ms).toISOString()}`
  const made = policyWith(definition, { ...options, every, firstDayOfWeek: undefined })
  if (all.size >= mostKnown) all.clear()
  known.set(policy, all.set(ms, made))
  return made
}

const calendars = new Map<string, ZoneCalendar>()
const mostCalendars = 2000

/** The calendar of two texts that `readEvery` and `readTimeZone` have read. */
export function calendarOf(every: string, timeZone: string): ZoneCalendar {
  const id = `${every} ${timeZone}`
  const known = calendars.get(id)
  if (known !== undefined) return known
  if (calendars.size >= mostCalendars) calendars.clear()
  const calendar = new ZoneCalendar(every, timeZone)
  calendars.set(id, calendar)
  return calendar
}

/** Throws an OptionError for what is no time zone. */
export function readTimeZone(value: unknown, { name }: { readonly name: string }): string {
  if (typeof value === 'string' && clockOf(value) !== undefined) return value
  throw optionError(name, 'a time zone such as "Europe/Vienna" or "UTC"', value)
}
