const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const clf =
  /^\[?(\d\d)\/([A-Z][a-z]{2})\/(\d{4})([: ])(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?( ?[+-]\d\d:?\d\d| ?Z| UTC| GMT)?\]?$/
const iso =
  /^(\d{4})[-/](\d\d)[-/](\d\d)(?:[T ]| - )(\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\s?(?:(Z|UTC|GMT)|([+-]\d\d):?(\d\d)?)?$/i
const epoch = /^\d{9,19}(?:\.\d{1,9})?$/
/** `Tue, 10 Mar 2026 13:00:00 GMT` and `Tue Mar 10 13:00:00 2026`. */
const mail = /^[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d)(?: GMT| UTC| [+]0000)?$/
const asc = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d\d:\d\d:\d\d) (\d{4})$/

/** Later times are invalid: the year 9999. */
const latestUs = 253_402_300_800e6

/**
 * Unix time in µs of a time in a log: ISO 8601, the time of the common log format, that of mails or of C (each UTC if it has no
 * zone), or a number of seconds, milliseconds, microseconds or nanoseconds, distinguished by their size. undefined if it is no time.
 */
export function timeUs(value: unknown): number | undefined {
  if (typeof value === 'number') return within(epochUs(value))
  if (typeof value !== 'string') return undefined
  if (epoch.test(value)) return within(epochUs(Number(value)))
  return within(isoUs(value) ?? clfUs(value) ?? namedMonthUs(value))
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
  const [, year, month, day, time, fraction, , hours, minutes] = iso.exec(text) ?? []
  if (year === undefined) return undefined
  return zonedUs(`${year}-${month}-${day}T${time}`, { fraction, hours, minutes })
}

let latest: { readonly text: string; readonly us: number | undefined } = { text: '', us: undefined }

/** Reads `10/Oct/2000:13:55:36 -0700`, in brackets or not. It is cached, because many lines have the same time. */
function clfUs(text: string): number | undefined {
  if (latest.text !== text) latest = { text, us: readClf(text) }
  return latest.us
}

function readClf(text: string): number | undefined {
  const [, day, month, year, sign, time, fraction, zone] = clf.exec(text) ?? []
  // HAProxy and Werkzeug write no zone, but a fraction or a space; without any of them the line was cut.
  if (sign === ':' && fraction === undefined && zone === undefined) return undefined
  const [, hours, minutes] = /([+-]\d\d):?(\d\d)/.exec(zone ?? '') ?? []
  return dayUs({ year, month, day, time }, { fraction, hours, minutes })
}

function namedMonthUs(text: string): number | undefined {
  const [, day, month, year, time] = mail.exec(text) ?? []
  if (day !== undefined) return dayUs({ year, month, day, time }, {})
  const [, name, padded, clock, ofYear] = asc.exec(text) ?? []
  return dayUs({ year: ofYear, month: name, day: padded?.replace(' ', '0'), time: clock }, {})
}

type Part = string | undefined

function dayUs(on: { year: Part; month: Part; day: Part; time: Part }, rest: Rest): number | undefined {
  const month = months.indexOf(on.month ?? '') + 1
  if (month === 0) return undefined
  return zonedUs(`${on.year}-${String(month).padStart(2, '0')}-${on.day}T${on.time}`, rest)
}

interface Rest {
  readonly fraction?: Part
  readonly hours?: Part
  readonly minutes?: Part
}

function zonedUs(utc: string, { fraction = '', hours = '+00', minutes = '00' }: Rest): number | undefined {
  const ms = Date.parse(`${utc}Z`)
  if (Number.isNaN(ms)) return undefined
  const aheadMinutes = Number(hours) * 60 + Number(`${hours[0]}${minutes}`)
  return (ms - aheadMinutes * 60_000) * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'))
}
