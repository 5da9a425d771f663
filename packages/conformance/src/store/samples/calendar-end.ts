import fc from 'fast-check'

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const
const months = [
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

/** Where windows of the calendar begin, as its parts: the text that a policy has is made of them. */
export interface Beginning {
  readonly span: 'day' | 'week' | 'month' | 'quarter' | 'year'
  readonly weekday?: number | undefined
  readonly month?: number | undefined
  readonly day?: number | undefined
  readonly time?: string | undefined
  /** In whole minutes, in place of all others. */
  readonly sinceMs?: number | undefined
}

const minuteMs = 60_000
const dayMs = 86_400_000
const formats = new Map<string, Intl.DateTimeFormat>()
const starts = new Map<string, number>()

export function textOf({ span, weekday, month, day, time, sinceMs }: Beginning): string {
  if (sinceMs !== undefined) return `${span} since ${new Date(sinceMs).toISOString()}`
  const words = [
    weekday === undefined ? undefined : weekdays[weekday],
    month === undefined ? undefined : months[month],
    day,
    time,
  ]
  const said = words.filter((word) => word !== undefined)
  return said.length === 0 ? span : `${span} from ${said.join(' ')}`
}

/** The window that an instant lies in, found by walking from date to date and, for each, from minute to minute. */
export function calendarWindow(
  beginning: Beginning,
  timeZone: string,
  atUs: number,
): { readonly startUs: number; readonly endUs: number } {
  const atMs = atUs / 1000
  const begins = datesOf(beginning, timeZone)
  const startOf = (date: number) => startIn(timeZone, date, begins.time, beginning.sinceMs)
  let date = Math.floor(atMs / dayMs) * dayMs + 2 * dayMs
  let endMs = Number.POSITIVE_INFINITY
  for (;;) {
    if (begins.on(new Date(date))) {
      const startMs = startOf(date)
      if (startMs <= atMs && endMs !== Number.POSITIVE_INFINITY)
        return { startUs: startMs * 1000, endUs: endMs * 1000 }
      if (startMs > atMs) endMs = startMs
      else {
        // The next one is further ahead than the walk has begun.
        let next = date + dayMs
        while (!begins.on(new Date(next)) || startOf(next) <= atMs) next += dayMs
        return { startUs: startMs * 1000, endUs: startOf(next) * 1000 }
      }
    }
    date -= dayMs
  }
}

/** Where the window of an instant ends. Each window is walked to once: a recount asks for the same few again and again. */
export function calendarEnds(beginning: Beginning, timeZone: string): (atUs: number) => number {
  const known: { readonly startUs: number; readonly endUs: number }[] = []
  return (atUs) => {
    let window = known.find(({ startUs, endUs }) => startUs <= atUs && atUs < endUs)
    if (window === undefined) {
      window = calendarWindow(beginning, timeZone, atUs)
      known.push(window)
    }
    return window.endUs
  }
}

/** Which dates a window begins on. */
function datesOf(
  beginning: Beginning,
  timeZone: string,
): { readonly time: string; readonly on: (date: Date) => boolean } {
  const { span, sinceMs } = beginning
  const shown = sinceMs === undefined ? undefined : shownAt(timeZone, sinceMs)
  const since = shown === undefined ? undefined : new Date(`${shown.slice(0, 10)}T00:00Z`)
  const weekday = since?.getUTCDay() ?? beginning.weekday ?? 1
  const month = since?.getUTCMonth() ?? beginning.month ?? 0
  const day = since?.getUTCDate() ?? beginning.day ?? 1
  const every = { day: 0, week: 0, month: 1, quarter: 3, year: 12 }[span]
  return {
    time: shown?.slice(11, 16) ?? beginning.time ?? '00:00',
    on(date) {
      if (span === 'day') return true
      if (span === 'week') return date.getUTCDay() === weekday
      const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
      return (date.getUTCMonth() - month) % every === 0 && date.getUTCDate() === Math.min(day, last)
    },
  }
}

/** The first minute at which clocks show this date and time, or one that is later. */
function startIn(timeZone: string, date: number, time: string, sinceMs: number | undefined): number {
  const day = new Date(date).toISOString().slice(0, 10)
  if (sinceMs !== undefined && shownAt(timeZone, sinceMs).startsWith(day)) return sinceMs
  const target = `${day} ${time}`
  const id = `${timeZone} ${target}`
  const known = starts.get(id)
  if (known !== undefined) return known
  let atMs = Date.parse(`${day}T${time}Z`) - 15 * 60 * minuteMs
  while (shownAt(timeZone, atMs) < target) atMs += minuteMs
  starts.set(id, atMs)
  return atMs
}

/** `2024-03-31 09:00` */
function shownAt(timeZone: string, ms: number): string {
  let format = formats.get(timeZone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
    formats.set(timeZone, format)
  }
  return format.format(ms)
}

const hour = fc.integer({ min: 0, max: 23 })
const time: fc.Arbitrary<string | undefined> = fc.option(
  fc
    .tuple(hour, fc.constantFrom('00', '30', '59'))
    .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`),
  { nil: undefined },
)
const weekday = fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined })
const month = fc.integer({ min: 0, max: 11 })
const day = fc.option(fc.integer({ min: 1, max: 31 }), { nil: undefined })
const named = fc.option(fc.record({ month, day }), { nil: undefined })

/** Beginnings of all kinds. `sinceMs`: which instants they may count from. */
export function beginnings(sinceMs: fc.Arbitrary<number>): fc.Arbitrary<Beginning> {
  const longer = fc.constantFrom('quarter', 'year')
  return fc.oneof(
    fc.record({ span: fc.constant('day' as const), time }),
    fc.record({ span: fc.constant('week' as const), weekday, time }),
    fc.record({ span: fc.constant('month' as const), day, time }),
    fc.tuple(longer, named, time).map(([span, date, time]) => ({ span, ...date, time })),
    fc.record({ span: fc.constantFrom('day', 'week', 'month', 'quarter', 'year'), sinceMs }),
  )
}
