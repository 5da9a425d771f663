import { attributedWindow, fixedWindow, type Policy } from '@sluice/core'
import { policyFrom } from '@sluice/core/strategies'
import fc from 'fast-check'
import { type Beginning, beginnings, calendarEnds, textOf } from './calendar-end.ts'
import { type Admission, limits, overIn, type Rule, type Sample, type Samples, spans } from './sample.ts'
import { withSpans } from './short-spans.ts'

interface Options {
  readonly limit: number
  readonly window: number
  readonly start: 'first-hit' | 'clock'
}

/** Walks through the windows that the admissions have opened, one after another. */
function rule(limit: number, endOf: (atUs: number) => number): Rule {
  return {
    limit,
    fits(admissions, atUs, cost) {
      let endUs = 0
      let count = 0
      for (const each of [...admissions, { atUs, cost }]) {
        if (each.atUs >= endUs) {
          endUs = endOf(each.atUs)
          count = 0
        }
        count += each.cost
      }
      return count <= limit
    },
  }
}

function breach(admissions: readonly Admission[], limit: number, windowUs: number): string | undefined {
  return overIn(admissions, windowUs, 2 * limit)
}

function sampleOf(
  make: (options: Options) => Policy,
  start: fc.Arbitrary<Options['start']>,
): fc.Arbitrary<Sample> {
  return fc
    .record({ limit: limits, spanUs: spans, otherLimit: limits, otherUs: spans, start })
    .map(({ limit, spanUs, otherLimit, otherUs, start }) => ({
      policy: withSpans((duration) => make({ limit, window: duration(spanUs), start })),
      other: withSpans((duration) => make({ limit: otherLimit, window: duration(otherUs), start })),
      spanUs,
      capacity: limit,
      rules: [
        rule(limit, (atUs) => (start === 'clock' ? (Math.floor(atUs / spanUs) + 1) * spanUs : atUs + spanUs)),
      ],
      breach: (admissions) => breach(admissions, limit, spanUs),
    }))
}

/** Around the years in which histories are played. */
const begins = beginnings(
  fc
    .integer({ min: Date.UTC(2019, 0) / 60_000, max: Date.UTC(2023, 10) / 60_000 })
    .map((minutes) => minutes * 60_000),
)
/** With clocks that change by an hour, by half of one and never, some at midnight. */
const timeZones = fc.constantFrom(
  'Europe/Vienna',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'UTC',
)
const dayUs = 86_400e6
const shortestDayUs = 22 * 3600e6

/** Those that begin at midnight on the first day. */
const plain = fc.constantFrom('day', 'week', 'month', 'quarter', 'year').map((span): Beginning => ({ span }))

function byCalendar(limit: number, begin: Beginning, timeZone: string): Policy {
  return policyFrom({ strategy: 'fixedWindow', limit, every: textOf(begin), timeZone })
}

const ofCalendar: fc.Arbitrary<Sample> = fc
  .record({
    limit: limits,
    begin: begins,
    timeZone: timeZones,
    others: fc.tuple(limits, plain, timeZones),
  })
  .map(({ limit, begin, timeZone, others: [otherLimit, otherBegin, otherZone] }) => ({
    policy: byCalendar(limit, begin, timeZone),
    other:
      otherZone === timeZone
        ? fixedWindow({ limit: otherLimit, window: '3d' })
        : byCalendar(otherLimit, otherBegin, otherZone),
    spanUs: dayUs,
    capacity: limit,
    rules: [rule(limit, calendarEnds(begin, timeZone))],
    breach: (admissions) => breach(admissions, limit, shortestDayUs),
  }))

export const fixedWindowSamples: Samples = {
  strategy: 'fixedWindow',
  samples: fc.oneof(sampleOf(fixedWindow, fc.constantFrom('first-hit', 'clock')), ofCalendar),
}

export const attributedWindowSamples: Samples = {
  strategy: 'attributedWindow',
  samples: sampleOf(({ limit, window }) => attributedWindow({ limit, window }), fc.constant('first-hit')),
}
