import { type Arrival, type Arrivals, mostArrivals, originUs } from './arrival.ts'

/** Traffic as text: a request a line. */
export interface Pasted {
  readonly kind: 'pasted'
  readonly text: string
}

const mostBuckets = 120
const tidyUs: readonly number[] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 86_400].map(
  (s) => s * 1e6,
)
const shortestUs = 1e5

/** Seconds beyond this are since 1970 and not since the first request. */
const sinceUnix = 1e8
const months = 'JanFebMarAprMayJunJulAugSepOctNovDec'
const logTime = /\[(\d\d)\/(\w{3})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)\]/

export interface Read {
  readonly arrivals: readonly Arrival[]
  /** Lines that are not empty and have no time. */
  readonly unread: number
}

/**
 * Reads `12.5`, `12.5 bob`, Unix times in seconds or milliseconds, ISO times, and lines of a common or combined log, whose key is the
 * address. Sorts them.
 */
export function readArrivals(text: string): Read {
  const arrivals: Arrival[] = []
  let unread = 0
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const arrival = arrivalOf(line.trim())
    if (arrival === undefined) unread++
    else arrivals.push(arrival)
  }
  return { arrivals: arrivals.sort((a, b) => a.atUs - b.atUs), unread }
}

function arrivalOf(line: string): Arrival | undefined {
  const [first = '', second] = line.split(/[\s,]+/)
  const [, day, month = '', year, time, hours, minutes] = logTime.exec(line) ?? []
  if (day !== undefined) {
    const number = String(months.indexOf(month) / 3 + 1).padStart(2, '0')
    return withTime(Date.parse(`${year}-${number}-${day}T${time}${hours}:${minutes}`) * 1000, first)
  }
  if (/^\d+(\.\d+)?$/.test(first)) return withTime(usOf(Number(first)), second)
  return /^\d{4}-\d\d-\d\d/.test(first) ? withTime(Date.parse(first) * 1000, second) : undefined
}

function usOf(value: number): number {
  if (value > sinceUnix * 1000) return Math.floor(value * 1000)
  return Math.floor(value * 1e6) + (value > sinceUnix ? 0 : originUs)
}

function withTime(atUs: number, key = 'bob'): Arrival | undefined {
  return Number.isFinite(atUs) ? { atUs, key } : undefined
}

export function arrivalsOfPasted({ text }: Pasted): Arrivals & { readonly unread: number } {
  const { arrivals, unread } = readArrivals(text)
  if (arrivals.length > mostArrivals)
    throw new RangeError(`The text has ${arrivals.length} requests; the playground takes ${mostArrivals}.`)
  return { ...onAxis(arrivals), unread }
}

/** With an axis that begins at a tidy instant and has at most 120 buckets. */
export function onAxis(arrivals: readonly Arrival[]): Arrivals {
  const first = arrivals[0]?.atUs ?? originUs
  const last = arrivals.at(-1)?.atUs ?? originUs
  const fits = (us: number): boolean => (last - first) / us < mostBuckets - 1
  const stepUs = fits(shortestUs)
    ? shortestUs
    : (tidyUs.find(fits) ?? Math.ceil((last - first) / mostBuckets))
  const fromUs = Math.floor(first / stepUs) * stepUs
  return { arrivals, axis: { fromUs, stepUs, buckets: Math.floor((last - fromUs) / stepUs) + 1 } }
}
