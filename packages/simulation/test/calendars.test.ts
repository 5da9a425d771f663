import { expect, it } from '@jest/globals'
import { type CalendarRow, calendars } from '../src/history/calendars.ts'
import { startUs } from '../src/world/machine.ts'

/** What a clock of the zone shows. */
function shownIn(timeZone: string, instant: string): { month: number; day: number; time: string } {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hourCycle: 'h23',
  }).formatToParts(new Date(instant))
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const time = ['hour', 'minute', 'second', 'fractionalSecond'].map(of).join(':')
  return { month: 12 * of('year') + of('month') - 1, day: of('day'), time }
}

/** The day of the month on which it begins, where the month has it. */
function dayOf({ every, timeZone, since }: CalendarRow): number | undefined {
  const said = since ?? / since (.*)/.exec(every)?.[1]
  if (said !== undefined) return shownIn(timeZone, said).day
  const [, day] = /^(?:month|quarter|year) from (?:[a-z]+ )?(\d+) /.exec(every) ?? []
  return day === undefined ? undefined : Number(day)
}

const months: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 }
const days: Readonly<Record<string, number>> = { day: 1, week: 7 }

it.each(calendars)('$every in $timeZone, since $since: clocks there show its ends', (row) => {
  const [span = ''] = row.every.split(' ')
  const shown = row.ends.map((end) => shownIn(row.timeZone, end))
  // The same time of day, and that of the text.
  expect(new Set(shown.map(({ time }) => time)).size).toBe(1)
  const [, hour, minute] = / (\d\d):(\d\d)$/.exec(row.every) ?? []
  if (hour !== undefined) expect(shown[0]?.time).toBe(`${Number(hour)}:${Number(minute)}:0:0`)
  const apart = row.ends.slice(1).map((end, i) => Date.parse(end) - Date.parse(row.ends[i] ?? ''))
  if (span in days) expect(apart).toEqual(apart.map(() => (days[span] ?? 0) * 86_400_000))
  const day = dayOf(row)
  if (!(span in months) || day === undefined) return
  for (const [i, { month, day: shownDay }] of shown.entries()) {
    expect(shownDay).toBe(Math.min(day, lastDayOf(month)))
    if (i > 0) expect(month - (shown[i - 1]?.month ?? 0)).toBe(months[span])
  }
})

function lastDayOf(month: number): number {
  return new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).getUTCDate()
}

it('the second end comes soon after a history has begun', () => {
  for (const { ends } of calendars) {
    const afterUs = Date.parse(ends[1] ?? '') * 1000 - startUs
    expect(afterUs).toBeGreaterThan(1_000_000)
    expect(afterUs).toBeLessThan(5_000_000)
  }
})
