import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { createLimiter, fixedWindow, memoryStore } from '../../src/index.ts'
import { calendarOf } from '../../src/strategies/calendar.ts'
import { horizonUs, partsOf } from '../../src/strategies/policy-parts.ts'

type Every = 'day' | 'week' | 'month'

const hourUs = 3600e6
const dayMs = 86_400_000

function us(time: string): number {
  return Date.parse(`${time}Z`) * 1000
}

function time(atUs: number): string {
  return new Date(atUs / 1000).toISOString().replace(':00.000Z', '').replace('.000Z', '')
}

/** The windows that begin at an instant and after it, as their starts. */
function startsFrom(every: Every, timeZone: string, from: string, count: number): string[] {
  const calendar = calendarOf(every, timeZone)
  const starts: string[] = []
  for (let atUs = us(from); starts.length < count; atUs = calendar.windowAt(atUs).endUs)
    starts.push(time(calendar.windowAt(atUs).startUs))
  return starts
}

describe('the windows of a calendar', () => {
  // biome-ignore format: a table
  it.each<[Every, string, string, string[]]>([
    // every    zone                   from                   starts, in UTC
    ['day',     'Europe/Vienna',       '2024-03-30T12:00',    ['2024-03-29T23:00', '2024-03-30T23:00', '2024-03-31T22:00', '2024-04-01T22:00']],
    ['day',     'America/Sao_Paulo',   '2018-11-03T12:00',    ['2018-11-03T03:00', '2018-11-04T03:00', '2018-11-05T02:00']],
    ['day',     'Asia/Beirut',         '2022-03-26T12:00',    ['2022-03-25T22:00', '2022-03-26T22:00', '2022-03-27T21:00']],
    ['day',     'Asia/Beirut',         '2022-10-29T12:00',    ['2022-10-28T21:00', '2022-10-29T22:00', '2022-10-30T22:00']],
    ['day',     'America/Havana',      '2023-11-04T12:00',    ['2023-11-04T04:00', '2023-11-05T04:00', '2023-11-06T05:00']],
    ['day',     'America/Havana',      '2024-03-09T12:00',    ['2024-03-09T05:00', '2024-03-10T05:00', '2024-03-11T04:00']],
    // A minute after midnight clocks went back to 23:01: the first midnight counts.
    ['day',     'America/St_Johns',    '2010-11-06T12:00',    ['2010-11-06T02:30', '2010-11-07T02:30', '2010-11-08T03:30']],
    ['day',     'America/St_Johns',    '2010-11-07T03:00',    ['2010-11-07T02:30', '2010-11-08T03:30']],
    ['day',     'Pacific/Apia',        '2011-12-29T12:00',    ['2011-12-29T10:00', '2011-12-30T10:00', '2011-12-31T10:00']],
    ['day',     'Pacific/Kwajalein',   '1993-08-20T13:00',    ['1993-08-20T12:00', '1993-08-21T12:00', '1993-08-22T12:00']],
    ['day',     'Antarctica/Troll',    '2024-03-30T12:00',    ['2024-03-30T00:00', '2024-03-31T00:00', '2024-03-31T22:00']],
    ['day',     'Antarctica/Troll',    '2024-10-26T12:00',    ['2024-10-25T22:00', '2024-10-26T22:00', '2024-10-28T00:00']],
    ['day',     'Australia/Lord_Howe', '2024-04-06T12:00',    ['2024-04-05T13:00', '2024-04-06T13:00', '2024-04-07T13:30']],
    ['day',     'Asia/Kathmandu',      '2024-04-06T12:00',    ['2024-04-05T18:15', '2024-04-06T18:15']],
    // Clocks went from 23:30 to 00:30: the day begins with the first instant after the midnight that was skipped.
    ['day',     'America/Toronto',     '1919-03-30T12:00',    ['1919-03-30T05:00', '1919-03-31T04:30', '1919-04-01T04:00']],
    ['month',   'Europe/Vienna',       '2024-02-10T00:00',    ['2024-01-31T23:00', '2024-02-29T23:00', '2024-03-31T22:00', '2024-04-30T22:00']],
    ['month',   'UTC',                 '2100-02-10T00:00',    ['2100-02-01T00:00', '2100-03-01T00:00']],
    ['week',    'Europe/Vienna',       '2024-03-31T12:00',    ['2024-03-24T23:00', '2024-03-31T22:00', '2024-04-07T22:00']],
  ])('each %s in %s from %s', (every, timeZone, from, starts) => {
    expect(startsFrom(every, timeZone, from, starts.length)).toEqual(starts)
  })

  // biome-ignore format: a table
  it.each([
    ['week',                '2024-06-10T00:00', '2024-06-17T00:00'],
    ['week from monday',    '2024-06-10T00:00', '2024-06-17T00:00'],
    ['week from wednesday', '2024-06-12T00:00', '2024-06-19T00:00'],
    ['week from saturday',  '2024-06-08T00:00', '2024-06-15T00:00'],
    ['week from sunday',    '2024-06-09T00:00', '2024-06-16T00:00'],
  ])('a week may begin on any day: %s', (every, start, end) => {
    const { startUs, endUs } = calendarOf(every, 'UTC').windowAt(us('2024-06-14T15:00'))
    expect([time(startUs), time(endUs)]).toEqual([start, end])
  })
})

const timeZone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
const every = fc.constantFrom<Every>('day', 'week', 'month')
const instantUs = fc
  .integer({ min: Date.UTC(1971, 0) / 1000, max: Date.UTC(2037, 11) / 1000 })
  .map((seconds) => seconds * 1e6)

/** Which day, week or month a clock shows: later ones are greater. */
function shown(every: Every, format: Intl.DateTimeFormat, atUs: number): number {
  const date = format.format(atUs / 1000)
  if (every === 'month') return Number(date.slice(0, 7).replace('-', ''))
  const days = Math.floor(Date.parse(date) / dayMs)
  return every === 'day' ? days : Math.floor((days + 3) / 7)
}

describe('the windows of any calendar', () => {
  it('lie side by side', () => {
    fc.assert(
      fc.property(every, timeZone, instantUs, (every, timeZone, atUs) => {
        const calendar = calendarOf(every, timeZone)
        const window = calendar.windowAt(atUs)
        expect(window.startUs <= atUs && atUs < window.endUs).toBe(true)
        expect(calendar.windowAt(window.startUs)).toEqual(window)
        expect(calendar.windowAt(window.endUs - 1)).toEqual(window)
        expect(calendar.windowAt(window.endUs).startUs).toBe(window.endUs)
        expect(calendar.windowAt(window.startUs - 1).endUs).toBe(window.startUs)
      }),
      { numRuns: 300 },
    )
  })

  it('begin where a clock first shows a later date', () => {
    fc.assert(
      fc.property(every, timeZone, instantUs, (every, timeZone, atUs) => {
        const { startUs, endUs } = calendarOf(every, timeZone).windowAt(atUs)
        const format = new Intl.DateTimeFormat('sv-SE', { timeZone })
        const own = shown(every, format, startUs)
        expect(shown(every, format, startUs - 1e6)).toBeLessThan(own)
        expect(shown(every, format, endUs - 1e6)).toBeLessThanOrEqual(own)
        expect(shown(every, format, endUs)).toBeGreaterThan(own)
        // Minute by minute; in a month only every hour.
        const stepUs = every === 'day' ? 60e6 : hourUs
        for (let walkUs = startUs; walkUs < endUs; walkUs += stepUs)
          if (shown(every, format, walkUs) > own) throw new Error(`${timeZone}: ${time(walkUs)} is later`)
      }),
      { numRuns: 60 },
    )
  })
})

describe('a policy of the calendar', () => {
  it('shares its calendar with policies of the same options', () => {
    const make = (limit: number) => fixedWindow({ limit, every: 'day', timeZone: 'Europe/Vienna' })
    expect(partsOf(make(1)).calendar).toBe(partsOf(make(2)).calendar)
  })

  it('differs from others by its value', () => {
    const values = [
      fixedWindow({ limit: 1, every: 'day', timeZone: 'Europe/Vienna' }),
      fixedWindow({ limit: 1, every: 'day', timeZone: 'Europe/Berlin' }),
      fixedWindow({ limit: 1, every: 'week', timeZone: 'Europe/Berlin' }),
      fixedWindow({ limit: 1, every: 'week', timeZone: 'Europe/Berlin', firstDayOfWeek: 'sunday' }),
      fixedWindow({ limit: 1, window: '25h' }),
    ].map((policy) => partsOf(policy).value)
    expect(new Set(values).size).toBe(values.length)
  })

  it.each([
    ['day', 25],
    ['week', 7 * 24 + 1],
    ['month', 31 * 24 + 1],
  ] as const)('of a %s has a window and a horizon of %d hours', (every, hours) => {
    const policy = fixedWindow({ limit: 1, every, timeZone: 'Europe/Vienna' })
    expect([policy.windowMs, horizonUs(policy)]).toEqual([hours * 3_600_000, hours * hourUs])
  })

  it('counts a key in one window, to its end, whatever the time zone of a call', async () => {
    let nowUs = us('2024-06-10T12:00')
    const policyIn = (timeZone: string) => fixedWindow({ limit: 3, every: 'day', timeZone })
    const limiter = createLimiter({
      policy: policyIn('UTC'),
      store: memoryStore({ clock: { nowUs: () => nowUs } }),
    })
    const ask = async (timeZone: string) => {
      const { remaining, resetAfterMs } = await limiter.check('bob', { policy: policyIn(timeZone) })
      return [remaining, resetAfterMs / 3_600_000]
    }
    expect(await ask('America/New_York')).toEqual([2, 16])
    expect(await ask('Asia/Tokyo')).toEqual([1, 16])
    expect(await ask('America/New_York')).toEqual([0, 16])
    nowUs += 3 * hourUs
    expect(await ask('America/New_York')).toEqual([0, 13])
    nowUs += 13 * hourUs
    expect(await ask('Asia/Tokyo')).toEqual([2, 11])
    await limiter.close()
  })
})
