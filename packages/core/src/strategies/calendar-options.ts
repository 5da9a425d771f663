import { optionError } from '../errors.ts'
import type { Asked } from './options.ts'
import { clockOf } from './zone-clock.ts'

const yearsMs = [Date.UTC(1900, 0), Date.UTC(2101, 0)] as const
/** As seconds these are all the years to 5138, as milliseconds the years around 1970. */
const likelySeconds = 1e11

/** Throws an OptionError for what is no time zone. */
export function readTimeZone(value: unknown, { name }: Asked): string {
  if (typeof value === 'string' && isTimeZone(value)) return value
  throw optionError(name, 'a time zone such as "Europe/Vienna" or "UTC"', value)
}

function isTimeZone(text: string): boolean {
  try {
    clockOf(text)
    return true
  } catch {
    return false
  }
}

/** Midnight where there is none. */
export function readTimeOfDay(value: unknown = '00:00', { name }: Asked): string {
  if (typeof value === 'string' && /^([01]\d|2[0-3]):[0-5]\d$/.test(value)) return value
  throw optionError(name, 'a time of day from "00:00" to "23:59"', value)
}

/** In microseconds since 1970; nothing where there is none. */
export function readInstant(value: unknown, { name }: Asked): number | undefined {
  return value === undefined ? undefined : instantUs(value, name)
}

/** Throws an OptionError for what is no instant. */
export function instantUs(value: unknown, name: string): number {
  const ms = Math.floor(msOf(value))
  if (ms >= yearsMs[0] && ms < yearsMs[1]) return ms * 1000
  const seconds = typeof value === 'number' && Math.abs(value) < likelySeconds ? ', not seconds' : ''
  const forms = `a Date, milliseconds since 1970${seconds}, or a text such as "2024-01-31T09:00:00Z"`
  throw optionError(name, `${forms}, from 1900 to 2100`, value)
}

function msOf(value: unknown): number {
  // A Date of another realm is no instance of this one's.
  if (typeof value === 'object' && value !== null && 'getTime' in value) return (value as Date).getTime()
  if (typeof value === 'number') return Math.abs(value) < likelySeconds ? Number.NaN : value
  // Without its offset a text would be another instant on each machine.
  return typeof value === 'string' && /T.*(Z|[+-]\d\d:\d\d)$/.test(value) ? Date.parse(value) : Number.NaN
}
