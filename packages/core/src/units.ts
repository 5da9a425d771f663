import { optionError } from './errors.ts'

/**
 * A time in an option, at least a millisecond: a number of milliseconds, or a string with a unit (`"500ms"`, `"1.5s"`, `"10m"`, `"1h"`,
 * `"30d"`).
 */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

const unitUs: Readonly<Record<string, number>> = { ms: 1e3, s: 1e6, m: 60e6, h: 3600e6, d: 86_400e6 }
const written = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/
const shortestUs = 1000
const longestUs = 366 * 86_400e6
const usualWords = 'a positive duration such as "10s" (ms, s, m, h, d) or 10000'

/**
 * Converts a duration option to whole microseconds, at least a millisecond; otherwise throws an OptionError with `path`.
 * `words` describes the form of a duration for the error.
 */
export function durationUs(value: unknown, path: string, words: string = usualWords): number {
  const us = readUs(value)
  if (us !== undefined && us >= shortestUs && us <= longestUs) return us
  const expected = `${words}, of whole microseconds, from 1 ms to 366 days`
  // Probably meant as seconds or minutes: such a short window limits nothing.
  const fraction = typeof value === 'number' && value > 0 && value < 1
  throw optionError(path, fraction ? `${expected} (a number is ms, "${value}s" seconds)` : expected, value)
}

/** As `durationUs`, with zero allowed. */
export function durationOrZeroUs(value: unknown, path: string, words?: string): number {
  return readUs(value) === 0 ? 0 : durationUs(value, path, words)
}

/** A step of a test clock, which may be as short as a microsecond. */
export function stepUs(value: unknown, path: string): number {
  const us = readUs(value)
  return us !== undefined && us > 0 && us < shortestUs ? us : durationOrZeroUs(value, path)
}

function readUs(value: unknown): number | undefined {
  if (typeof value === 'number') return whole(value * 1000)
  if (typeof value !== 'string') return undefined
  const [, amount, unit] = written.exec(value) ?? []
  return amount === undefined || unit === undefined
    ? undefined
    : whole(Number(amount) * (unitUs[unit] ?? Number.NaN))
}

/** Decimal fractions are not exact in binary: a value within a thousandth of a microsecond counts as whole. */
function whole(us: number): number | undefined {
  const nearest = Math.round(us)
  return Math.abs(us - nearest) < 1e-3 ? nearest : undefined
}

/** Converts microseconds for the public API: milliseconds, rounded up. */
export function msUp(us: number): number {
  return Math.ceil(us / 1000)
}

/** Three digits each, made when they are first needed. */
const digitsOf: string[] = []

function threeDigits(below1000: number): string {
  digitsOf[below1000] ??= String(1000 + below1000).slice(1)
  return digitsOf[below1000]
}

/**
 * The digits of a whole number, for instants in microseconds. V8 keeps what `String` made of a number for a while; as every instant is
 * another one, each of them would make the garbage collector's pauses longer.
 */
export function instantText(us: number): string {
  const ofMs = Math.floor(us / 1000)
  const ofSecond = Math.floor(ofMs / 1000)
  if (ofSecond < 1000) return String(us)
  return String(ofSecond) + threeDigits(ofMs - ofSecond * 1000) + threeDigits(us - ofMs * 1000)
}

/** The same, where an instant often is the last one again. */
export class InstantTexts {
  #us = -1
  #text = ''

  of(us: number): string {
    if (us !== this.#us) {
      this.#us = us
      this.#text = instantText(us)
    }
    return this.#text
  }
}

/** RFC 9651, 3.3.1: a longer integer makes a client drop the whole field. */
const largestInteger = 999_999_999_999_999

/** Whole, not negative, 15 digits at most: a field must never say NaN, Infinity or 1e+21. */
export function fieldInteger(value: number): number {
  return value > 0 ? Math.min(Math.floor(value), largestInteger) : 0
}

/** Milliseconds as whole seconds, rounded up: a client with a shorter wait would come back too early. */
export function secondsUp(ms: number): number {
  return fieldInteger(Math.ceil(ms / 1000))
}

/** The value of Retry-After in seconds, at least 1: with 0 clients repeat the request at once. */
export function retryAfterSeconds(ms: number): number {
  return Math.max(1, secondsUp(ms))
}
