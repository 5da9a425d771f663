// Every number with its unit. Times that one waits are rounded up, times that have gone by are rounded down.

const hundredths = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
const millions = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })
const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

/** Of limits that count fractions, to their smallest unit. */
const amounts = new Intl.NumberFormat('en', { maximumFractionDigits: 6 })

export const count = (n) => amounts.format(n)

/** Units a second: over a longer bucket they have a fraction, and millions have three figures, as their column is narrow. */
export function rate(n, stepSeconds) {
  if (n >= 1e6) return millions.format(n)
  return (stepSeconds === 1 ? hundredths : tenths).format(n)
}

/** "47.3", of a hundred. */
export const share = (part, whole) => (whole === 0 ? '0.0' : ((100 * part) / whole).toFixed(1))

const two = (n) => String(n).padStart(2, '0')

/** "14:10:43", in the viewer's time zone. */
export function clock(seconds) {
  const time = new Date(seconds * 1000)
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
}

/** "14:10". */
export const hourAndMinute = (seconds) => clock(seconds).slice(0, 5)

/** "7 s", from two minutes on "9 min", from two hours on "3 h", from two days on "4 days". */
export function wholeWait(ms) {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  if (seconds <= 120) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  if (minutes <= 120) return `${minutes} min`
  const hours = Math.ceil(minutes / 60)
  return hours <= 48 ? `${hours} h` : `${Math.ceil(hours / 24)} days`
}

/** Tenths below ten seconds: "1.9 s". Never "0.0 s". */
export function shortWait(ms) {
  const tenth = Math.max(1, Math.ceil(ms / 100))
  return tenth < 100 ? `${(tenth / 10).toFixed(1)} s` : wholeWait(ms)
}

/** "42 s", "3 min 10 s", "2 h 5 min", "3 days 4 h". */
export function elapsed(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const [minutes, hours, days] = [60, 3600, 86_400].map((unit) => Math.floor(seconds / unit))
  if (minutes === 0) return `${seconds} s`
  if (hours === 0) return pair(`${minutes} min`, seconds % 60, 's')
  if (days === 0) return pair(`${hours} h`, minutes % 60, 'min')
  return pair(days === 1 ? '1 day' : `${days} days`, hours % 24, 'h')
}

const pair = (whole, rest, unit) => (rest === 0 ? whole : `${whole} ${rest} ${unit}`)
