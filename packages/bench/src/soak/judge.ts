import { spreadOf } from '../rounds.ts'
import type { Table } from '../table.ts'
import type { Kept } from './kept.ts'
import type { Tally } from './limiters.ts'

/** What the processes and their server keep at an instant. */
export interface Sample extends Kept {
  readonly redis: number
  readonly keys: number
}

/** What there is in a process before a limiter is open, and after the last is closed. */
export interface Left {
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly tally: Tally
}

export const samplesOfDay = 24

export interface Course {
  /** One of each hour. */
  readonly samples: readonly Sample[]
  readonly left: readonly Left[]
  readonly keysLeft: number
}

interface Row {
  readonly what: string
  /** The median of each day. */
  readonly days: readonly number[]
  /** From the second day to the last, by the straight line through all of them, in shares of their mean. */
  readonly growth: number
  readonly tooMuch: boolean
}

export interface Judged {
  readonly rows: readonly Row[]
  readonly asked: number
  readonly complaints: readonly string[]
}

/** Of the median of a day from the second to the last, in shares. */
const mostGrowth = 0.05
/** Of timers, which come and go with requests. */
const mostMore = 10

const judgedFields = {
  heap: 'heap after collection, MB',
  redis: '`used_memory` of Redis, MB',
  keys: 'keys in Redis',
  timers: 'timers',
  listeners: 'listeners to processes and clients',
} as const

/** The first day is left out: code is compiled, and buffers reach their size. */
export function judgedCourse({ samples, left, keysLeft }: Course): Judged {
  const rows = Object.entries(judgedFields).map(([field, what]) => {
    const values = samples.map((sample) => sample[field as keyof typeof judgedFields]) // its own names
    const scale = what.endsWith('MB') ? 1e6 : 1
    const days: number[] = []
    for (let i = 0; i < values.length; i += samplesOfDay) {
      days.push(spreadOf(values.slice(i, i + samplesOfDay)).median / scale)
    }
    const growth = growthOf(days.slice(1))
    const isSmall = (field === 'timers' || field === 'listeners') && growth * (days.at(-1) ?? 0) < mostMore
    return { what, days, growth, tooMuch: growth > mostGrowth && !isSmall }
  })
  const complaints = [
    ...rows
      .filter(({ tooMuch }) => tooMuch)
      .map(({ what, growth }) => `${what}: grows by ${percent(growth)}`),
    ...(keysLeft > 0 ? [`${keysLeft} keys are left`] : []),
    ...left.flatMap(({ before, after }) =>
      before.join() === after.join() ? [] : [`left: ${after.join(', ')}; before: ${before.join(', ')}`],
    ),
    ...left.flatMap(({ tally }) =>
      tally.notFromRedis > tally.asked / 1000 ? [`${tally.notFromRedis} answers are not from Redis`] : [],
    ),
  ]
  return { rows, asked: left.reduce((sum, { tally }) => sum + tally.asked, 0), complaints }
}

/** How much the straight line through all days rises from the first to the last, in shares of their mean. */
function growthOf(days: readonly number[]): number {
  const middle = (days.length - 1) / 2
  const mean = days.reduce((sum, each) => sum + each, 0) / days.length
  const above = days.reduce((sum, each, day) => sum + (day - middle) * each, 0)
  const spread = days.reduce((sum, _, day) => sum + (day - middle) ** 2, 0)
  return ((above / spread) * (days.length - 1)) / mean
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

export function soakTable({ rows }: Judged): Table {
  const days = rows[0]?.days.map((_, day) => `day ${day + 1}`) ?? []
  const text = (value: number) =>
    value >= 100 ? Math.round(value).toLocaleString('en') : String(Math.round(value * 100) / 100)
  return [
    ['median of a day', ...days, 'growth from day 2 on'],
    ...rows.map(({ what, days: each, growth }) => [what, ...each.map(text), percent(growth)]),
  ]
}
