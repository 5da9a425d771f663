import { optionError } from '../errors.ts'

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
const monthNames = [
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
export const spans = ['day', 'week', 'month', 'quarter', 'year'] as const

type Span = (typeof spans)[number]
type Weekday = (typeof weekdays)[number]
type Month = (typeof monthNames)[number]
type Time = `${number}:${number}`
type OrWith<Start extends string> = Start | `${Start} ${Time}` | Time

/**
 * Windows of the calendar, and where they begin: `month from 31`, `day from 09:00`, `week from wednesday`, `year from april 6`,
 * `quarter since 2024-01-31T09:00:00Z`.
 */
export type Every =
  | Span
  | `day from ${Time}`
  | `week from ${OrWith<Weekday>}`
  | `month from ${OrWith<`${number}`>}`
  | `${'quarter' | 'year'} from ${OrWith<Month | `${Month} ${number}`>}`
  | `${Span} since ${string}`

/**
 * Where windows begin. `month` is counted from January 1970, `day` is a day of it, if it has that day. Windows last `months` months or,
 * if these are 0, `days` days.
 */
export interface Beginnings {
  readonly span: string
  readonly months: number
  readonly days: number
  readonly month: number
  readonly day: number
  readonly timeMs: number
  /** In place of month, day and time: an instant at which a window begins. */
  readonly sinceMs: number | undefined
}

const lengths = { day: [0, 1], week: [0, 7], month: [1, 31], quarter: [3, 92], year: [12, 366] } as const
/** 5 January 1970 was a Monday. */
const firstMonday = 5
const beginning = new RegExp(
  `^(?!.* from$)(${spans.join('|')})(?: since (.+)| from(?: (${weekdays.join('|')}))?(?: (${monthNames.join('|')}))?(?: ([1-9]|[12]\\d|3[01]))?(?: ((?:[01]\\d|2[0-3]):[0-5]\\d))?)?$`,
)

/** Where windows begin by a text; undefined if it is no window of the calendar. */
export function beginningsOf(text: string): Beginnings | undefined {
  const [, span, since, weekday, month, day, time = '00:00'] = beginning.exec(text) ?? []
  const sinceMs = since === undefined ? undefined : instantMs(since)
  if (span === undefined || Number.isNaN(sinceMs)) return undefined
  const [months, days] = lengths[span as Span] // as the pattern has it
  const isWrong =
    (weekday !== undefined && span !== 'week') ||
    (month !== undefined && months < 3) ||
    (day !== undefined && months !== 1 && month === undefined)
  if (isWrong) return undefined
  return {
    span,
    months,
    days,
    month: Math.max(0, monthNames.indexOf(month as Month)), // as the pattern has it
    day: span === 'week' ? firstMonday + Math.max(0, weekdays.indexOf(weekday as Weekday)) : Number(day ?? 1),
    timeMs: Date.parse(`1970-01-01T${time}Z`),
    sinceMs,
  }
}

const expected =
  'a string such as "day", "week from wednesday" or "month from 31"; for hours window: "1h", start: "clock"'

/** Throws an OptionError for what is no window of the calendar. */
export function readEvery(value: unknown, { name }: { readonly name: string }): string {
  if (typeof value === 'string' && beginningsOf(value) !== undefined) return value
  throw optionError(name, expected, value)
}

/** An instant as callers have it: a Date, milliseconds since 1970, or a text such as `2024-01-31T09:00:00Z`. */
export type Instant = Date | number | string

const earliestMs = Date.UTC(1900, 0)
const endMs = Date.UTC(2101, 0)
/** Smaller numbers are seconds: as milliseconds they would be the years around 1970. */
const leastMs = 1e11

/** An instant in milliseconds since 1970; NaN for a value that is none. */
export function instantMs(value: unknown): number {
  const ms = Math.floor(msOf(value))
  return ms >= earliestMs && ms < endMs ? ms : Number.NaN
}

function msOf(value: unknown): number {
  // A Date of another realm is no instance of this one's.
  if (typeof value === 'object') return (value as Partial<Date> | null)?.getTime?.() ?? Number.NaN
  if (typeof value === 'number') return Math.abs(value) < leastMs ? Number.NaN : value
  // Without its offset a text would be another instant on each machine; and of 30 February, `Date.parse` makes 1 March.
  const [, date, day] = /^(.{8}(\d\d))T.*(Z|[+-]\d\d:\d\d)$/.exec(String(value)) ?? []
  const isDay = new Date(date ?? '').getUTCDate() === Number(day)
  return isDay ? Date.parse(value as string) : Number.NaN // as the pattern has it
}
