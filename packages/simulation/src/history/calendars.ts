import type { PolicyPlan } from './plan.ts'

/** Windows of a calendar, and the ends of some of them: the second end comes soon after a history has begun. */
export interface CalendarRow {
  readonly every: string
  readonly timeZone: string
  /** The `since` of each call; undefined: calls have none. */
  readonly since: string | undefined
  readonly ends: readonly string[]
}

// biome-ignore format: a table
const rows: readonly (readonly [every: string, timeZone: string, since: string | undefined, ...ends: string[]])[] = [
  ['month from 31 00:01', 'UTC', undefined, '2027-01-31T00:01:00Z', '2027-02-28T00:01:00Z', '2027-03-31T00:01:00Z'],
  ['month from 31 01:01', 'Europe/Vienna', undefined, '2027-01-31T00:01:00Z', '2027-02-28T00:01:00Z', '2027-03-30T23:01:00Z'],
  ['month from 27 19:01', 'America/New_York', undefined, '2027-01-28T00:01:00Z', '2027-02-28T00:01:00Z', '2027-03-27T23:01:00Z'],
  ['day from 05:31', 'Asia/Kolkata', undefined, '2027-02-27T00:01:00Z', '2027-02-28T00:01:00Z', '2027-03-01T00:01:00Z'],
  ['week from sunday 00:01', 'UTC', undefined, '2027-02-21T00:01:00Z', '2027-02-28T00:01:00Z', '2027-03-07T00:01:00Z'],
  ['quarter from february 28 00:01', 'Europe/London', undefined, '2026-11-28T00:01:00Z', '2027-02-28T00:01:00Z', '2027-05-27T23:01:00Z'],
  ['year from february 29 00:01', 'UTC', undefined, '2026-02-28T00:01:00Z', '2027-02-28T00:01:00Z', '2028-02-29T00:01:00Z'],
  ['month since 2026-10-31T00:00:58.250Z', 'UTC', undefined, '2027-01-31T00:00:58.250Z', '2027-02-28T00:00:58.250Z', '2027-03-31T00:00:58.250Z'],
  ['month', 'UTC', '2026-08-31T00:00:59.500Z', '2027-01-31T00:00:59.500Z', '2027-02-28T00:00:59.500Z', '2027-03-31T00:00:59.500Z'],
  ['month', 'Europe/Vienna', '2026-08-30T23:00:59.500Z', '2027-01-31T00:00:59.500Z', '2027-02-28T00:00:59.500Z', '2027-03-30T23:00:59.500Z'],
  ['day', 'Europe/Vienna', '2026-08-30T23:00:59.001Z', '2027-02-27T00:00:59.001Z', '2027-02-28T00:00:59.001Z', '2027-03-01T00:00:59.001Z'],
]

export const calendars: readonly CalendarRow[] = rows.map(([every, timeZone, since, ...ends]) => ({
  every,
  timeZone,
  since,
  ends,
}))

/** The calendar with this number. */
export function calendarAt(nth: number): CalendarRow {
  const row = calendars[nth]
  if (row === undefined) throw new RangeError(`no calendar ${nth}`)
  return row
}

/** The calendar that one of the policies follows; undefined: none does. */
export function calendarOf(policies: readonly PolicyPlan[]): CalendarRow | undefined {
  for (const policy of policies)
    if (policy.strategy === 'fixedWindow' && policy.calendar !== undefined) return calendarAt(policy.calendar)
  return undefined
}

/** The instant that each call gives as the beginning of its period. */
export function sinceOf(policies: readonly PolicyPlan[]): string | undefined {
  return calendarOf(policies)?.since
}
