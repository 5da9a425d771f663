const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const clf = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)$/
const iso = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\s?(?:(Z)|([+-]\d\d):?(\d\d)?)?$/i
const epoch = /^\d{9,19}(?:\.\d{1,9})?$/

/** Later times are invalid: the year 9999. */
const latestUs = 253_402_300_800e6

/**
 * Unix time in µs of a time in a log: ISO 8601 (UTC if it has no zone), the time of the common log format, or a number
 * of seconds, milliseconds, microseconds or nanoseconds, distinguished by their size. undefined if it is no time.
 */
export function timeUs(value: unknown): number | undefined {
  if (typeof value === 'number') return within(epochUs(value))
  if (typeof value !== 'string') return undefined
  if (epoch.test(value)) return within(epochUs(Number(value)))
  return within(isoUs(value) ?? clfUs(value))
}

function within(us: number | undefined): number | undefined {
  return us !== undefined && us > 0 && us < latestUs ? Math.floor(us) : undefined
}

function epochUs(value: number): number | undefined {
  // At least nine digits, as in a string: a smaller number is a duration.
  if (value < 1e8) return undefined
  if (value < 1e11) return value * 1e6
  if (value < 1e14) return value * 1e3
  return value < 1e17 ? value : value / 1e3
}

function isoUs(text: string): number | undefined {
  const [, day, time, fraction = '', , hours = '+00', minutes = '00'] = iso.exec(text) ?? []
  if (day === undefined || time === undefined) return undefined
  return zonedUs(`${day}T${time}`, hours, minutes, Number(fraction.slice(0, 6).padEnd(6, '0')))
}

let latest: { readonly text: string; readonly us: number | undefined } = { text: '', us: undefined }

/** `10/Oct/2000:13:55:36 -0700`. Cached, because many lines have the same time. */
export function clfUs(text: string): number | undefined {
  if (latest.text !== text) latest = { text, us: readClf(text) }
  return latest.us
}

function readClf(text: string): number | undefined {
  const [, day, name = '', year, time, hours = '', minutes = ''] = clf.exec(text) ?? []
  const month = months.indexOf(name) + 1
  if (month === 0) return undefined
  return zonedUs(`${year}-${String(month).padStart(2, '0')}-${day}T${time}`, hours, minutes)
}

function zonedUs(utc: string, hours: string, minutes: string, fractionUs = 0): number | undefined {
  const ms = Date.parse(`${utc}Z`)
  if (Number.isNaN(ms)) return undefined
  const aheadMinutes = Number(hours) * 60 + Number(`${hours[0]}${minutes}`)
  return (ms - aheadMinutes * 60_000) * 1000 + fractionUs
}
