import { describe, expect, it } from '@jest/globals'
import { beginnings, calendarWindow, textOf } from '@sluice/conformance/internal'
import fc from 'fast-check'
import { calendarOf } from '../../src/strategies/calendar.ts'
import { policyFrom } from '../../src/strategies.ts'

function us(time: string): number {
  return Date.parse(`${time}Z`) * 1000
}

function time(atUs: number): string {
  return new Date(atUs / 1000).toISOString().replace(/(:00)?\.000Z$/, '')
}

function startsFrom(every: string, timeZone: string, from: string, count: number): string[] {
  const calendar = calendarOf(every, timeZone)
  const starts: string[] = []
  for (let atUs = us(from); starts.length < count; atUs = calendar.windowAt(atUs).endUs)
    starts.push(time(calendar.windowAt(atUs).startUs))
  return starts
}

describe('windows of the calendar begin', () => {
  // biome-ignore format: a table
  it.each<[string, string, string, string[]]>([
    // every                              zone                from                starts, in UTC
    // In a month without the day on its last, and on the day again in the next: it never drifts.
    ['month from 31',                     'UTC',              '2023-01-31T12:00', ['2023-01-31T00:00', '2023-02-28T00:00', '2023-03-31T00:00', '2023-04-30T00:00', '2023-05-31T00:00']],
    ['month from 30',                     'UTC',              '2024-01-30T12:00', ['2024-01-30T00:00', '2024-02-29T00:00', '2024-03-30T00:00']],
    ['month from 31 09:00',               'Europe/Vienna',    '2024-03-31T08:00', ['2024-03-31T07:00', '2024-04-30T07:00', '2024-05-31T07:00']],
    ['month from 12:00',                  'UTC',              '2024-01-01T11:59', ['2023-12-01T12:00', '2024-01-01T12:00']],
    ['quarter',                           'UTC',              '2024-02-10T00:00', ['2024-01-01T00:00', '2024-04-01T00:00', '2024-07-01T00:00', '2024-10-01T00:00', '2025-01-01T00:00']],
    ['quarter from february',             'UTC',              '2024-01-31T00:00', ['2023-11-01T00:00', '2024-02-01T00:00', '2024-05-01T00:00']],
    ['quarter from november 30',          'UTC',              '2024-02-29T00:00', ['2024-02-29T00:00', '2024-05-30T00:00', '2024-08-30T00:00', '2024-11-30T00:00', '2025-02-28T00:00']],
    ['year',                              'Asia/Tokyo',       '2024-06-01T00:00', ['2023-12-31T15:00', '2024-12-31T15:00']],
    ['year from april 6',                 'Europe/London',    '2024-04-05T22:59', ['2023-04-05T23:00', '2024-04-05T23:00', '2025-04-05T23:00']],
    ['year from february 29',             'UTC',              '2023-06-01T00:00', ['2023-02-28T00:00', '2024-02-29T00:00', '2025-02-28T00:00']],
    ['week from wednesday',               'UTC',              '2024-06-11T12:00', ['2024-06-05T00:00', '2024-06-12T00:00', '2024-06-19T00:00']],
    ['week from wednesday 09:00',         'America/New_York', '2024-11-06T13:59', ['2024-10-30T13:00', '2024-11-06T14:00']],
    ['day from 09:00',                    'Europe/Vienna',    '2024-03-30T12:00', ['2024-03-30T08:00', '2024-03-31T07:00', '2024-04-01T07:00']],
    // 02:30 is skipped on 31 March, and shown twice on 27 October.
    ['day from 02:30',                    'Europe/Vienna',    '2024-03-30T12:00', ['2024-03-30T01:30', '2024-03-31T01:00', '2024-04-01T00:30']],
    ['day from 02:30',                    'Europe/Vienna',    '2024-10-26T12:00', ['2024-10-26T00:30', '2024-10-27T00:30', '2024-10-28T01:30']],
    ['month since 2023-12-31T22:30:15Z',  'UTC',              '2024-01-31T22:30:14', ['2023-12-31T22:30:15', '2024-01-31T22:30:15', '2024-02-29T22:30:15', '2024-03-31T22:30:15']],
    // The first began when clocks showed 02:30 for the second time.
    ['day since 2024-10-27T01:30:00Z',    'Europe/Vienna',    '2024-10-27T01:00', ['2024-10-26T00:30', '2024-10-27T01:30', '2024-10-28T01:30']],
    ['year since 2024-02-29T12:00:00Z',   'UTC',              '2024-03-01T00:00', ['2024-02-29T12:00', '2025-02-28T12:00', '2026-02-28T12:00', '2027-02-28T12:00', '2028-02-29T12:00']],
    // Before its instant too, and after 2100, which has no 29 February.
    ['quarter since 2099-11-30T00:00:00Z', 'UTC',             '2099-06-01T00:00', ['2099-05-30T00:00', '2099-08-30T00:00', '2099-11-30T00:00', '2100-02-28T00:00', '2100-05-30T00:00']],
  ])('%s in %s from %s', (every, timeZone, from, starts) => {
    expect(startsFrom(every, timeZone, from, starts.length)).toEqual(starts)
  })

  const minute = (year: number) => Date.UTC(year, 0) / 60_000
  // Until 1972 a country's clocks differed from others by half minutes, and a window of 1973 may begin in that year.
  const minutes = fc.integer({ min: minute(1974), max: minute(2101) - 1 }).map((each) => each * 60_000)
  const timeZone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))

  it('where a walk through dates and minutes finds it, in any time zone from 1974 to 2100', () => {
    fc.assert(
      fc.property(beginnings(minutes), timeZone, minutes, (begin, timeZone, atMs) => {
        const window = calendarOf(textOf(begin), timeZone).windowAt(atMs * 1000)
        expect(window).toEqual(calendarWindow(begin, timeZone, atMs * 1000))
      }),
      { numRuns: 400 },
    )
  })

  // Clocks of these change by an hour, half of one or a day, at midnight or at night.
  const changing = fc.constantFrom(
    'Europe/Vienna',
    'Australia/Lord_Howe',
    'Asia/Beirut',
    'America/Havana',
    'Pacific/Apia',
  )
  const hours = fc.integer({ min: minute(2010), max: minute(2013) }).map((each) => each * 60_000)

  it('so too around the days on which clocks are changed', () => {
    fc.assert(
      fc.property(beginnings(hours), changing, hours, (begin, timeZone, atMs) => {
        const calendar = calendarOf(textOf(begin), timeZone)
        const window = calendar.windowAt(atMs * 1000)
        expect(window).toEqual(calendarWindow(begin, timeZone, atMs * 1000))
        expect(calendar.windowAt(window.endUs).startUs).toBe(window.endUs)
        expect(calendar.windowAt(window.startUs - 1).endUs).toBe(window.startUs)
      }),
      { numRuns: 300 },
    )
  })

  it('to the millisecond at the instant since which they count', () => {
    const { startUs, endUs } = calendarOf('month since 2024-01-31T09:00:00.123Z', 'UTC').windowAt(
      us('2024-02-10T00:00'),
    )
    expect([startUs, endUs]).toEqual([us('2024-01-31T09:00:00.123'), us('2024-02-29T09:00:00.123')])
  })
})

describe('where windows of the calendar begin', () => {
  it.each([
    'fortnight',
    'Month',
    'month from',
    'month from 0',
    'month from 32',
    'month from 031',
    'month from march',
    'month  from 3',
    'month from 3 24:00',
    'month from 9:00',
    'day from monday',
    'day from 3',
    'week from 3',
    'week from wensday',
    'quarter from 3',
    'year from april 31 09:60',
    'month since',
    'month since 2024-01-31',
    'month since 2024-01-31T09:00:00',
    'month since yesterday',
    'month since 1700-01-31T09:00:00Z',
    31,
    null,
  ])('is refused where it says nothing of the kind: %s', (every) => {
    expect(() => policyFrom({ strategy: 'fixedWindow', limit: 1, every, timeZone: 'UTC' })).toThrow(
      'every: expected a string such as "day", "week from wednesday" or "month from 31"; for hours window: "1h", start: "clock", got',
    )
  })
})
