import { checkNames, durationUs, oneOf, optionError } from '@sluice/core/internal'
import type { Data, Labels, Points, SinkQuery } from './sink.ts'

/** The most values that a query may return. */
const maxValues = 100_000
/** The latest time in milliseconds since 1970 that a Date can hold. */
const latestMs = 8.64e15

export const allData: readonly Data[] = ['hits', 'denied', 'admitted', 'refused', 'local']

/** A query as sinks read it: whole buckets. */
export interface Span {
  readonly series: string | undefined
  readonly data: Data | undefined
  readonly fromSecond: number
  /** Exclusive. */
  readonly toSecond: number
  readonly stepSeconds: number
  readonly buckets: number
}

/** @throws OptionError */
export function readQuery(query: SinkQuery): Span {
  checkNames(query, 'query', ['series', 'data', 'fromMs', 'toMs', 'step'])
  const { series, data } = query
  if (series !== undefined && typeof series !== 'string') {
    throw optionError('query.series', 'the name of a series', series)
  }
  const stepSeconds = readStep(query.step)
  const fromSecond = stepSeconds * Math.floor(readMs(query.fromMs, 'query.fromMs') / 1000 / stepSeconds)
  const toMs = readMs(query.toMs, 'query.toMs')
  if (toMs <= query.fromMs) throw optionError('query.toMs', 'a time after fromMs', toMs)
  const buckets = Math.ceil((toMs / 1000 - fromSecond) / stepSeconds)
  const span: Span = {
    series,
    data: data === undefined ? undefined : oneOf(data, 'query.data', allData),
    fromSecond,
    toSecond: fromSecond + buckets * stepSeconds,
    stepSeconds,
    buckets,
  }
  checkRoom(span, 1)
  return span
}

/** @throws OptionError when the series have too many buckets together */
export function checkRoom({ buckets, stepSeconds, fromSecond, toSecond }: Span, series: number): void {
  if (buckets * series <= maxValues) return
  // Alignment may add a part of a bucket at either end.
  const each = Math.max(1, Math.floor(maxValues / series) - 2)
  const enough = Math.ceil((toSecond - fromSecond) / each)
  const which = series === 1 ? 'this span' : `this span of ${series} series`
  throw optionError('query.step', `at least "${enough}s" for ${which}`, `${stepSeconds}s`)
}

/** Whether the query includes a series. */
export function isAskedFor({ series, data }: Span, name: string, labels: Labels): boolean {
  return (series === undefined || series === name) && (data === undefined || data === labels.data)
}

/** The buckets of one series, to be filled. */
export class Buckets {
  readonly #span: Span
  readonly #values: number[]
  #empty = true

  constructor(span: Span) {
    this.#span = span
    this.#values = new Array<number>(span.buckets).fill(0)
  }

  /** Skips seconds outside the span, and values of other programs that are not numbers. */
  add(second: number, units: number): void {
    const { fromSecond, toSecond, stepSeconds } = this.#span
    const isInside = second >= fromSecond && second < toSecond
    if (!isInside || !Number.isFinite(units)) return
    const bucket = Math.floor((second - fromSecond) / stepSeconds)
    this.#values[bucket] = (this.#values[bucket] ?? 0) + units
    this.#empty = false
  }

  /** Empty if nothing was added. */
  points(series: string, labels: Labels): readonly Points[] {
    if (this.#empty) return []
    const { fromSecond, stepSeconds } = this.#span
    return [{ series, labels, fromMs: fromSecond * 1000, stepMs: stepSeconds * 1000, values: this.#values }]
  }
}

export function byName(all: readonly Points[]): readonly Points[] {
  return [...all].sort((a, b) => (a.series < b.series ? -1 : 1))
}

function readStep(step: unknown): number {
  const us = durationUs(step, 'query.step')
  if (us % 1e6 === 0) return us / 1e6
  throw optionError('query.step', 'whole seconds', step)
}

function readMs(value: unknown, path: string): number {
  if (typeof value === 'number' && value >= 0 && value <= latestMs) return value
  throw optionError(path, 'milliseconds since 1970', value)
}
