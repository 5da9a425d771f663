export type Every = 'day' | 'week' | 'month'

const stepUs = 15 * 60e6
const formats = new Map<string, Intl.DateTimeFormat>()
const ends = new Map<string, number>()

/** Found by walking in quarters of an hour until the date shown is of another day, week (from Monday) or month. */
export function calendarEnd(every: Every, timeZone: string, atUs: number): number {
  const quarterUs = Math.floor(atUs / stepUs) * stepUs
  const id = `${every} ${timeZone} ${quarterUs}`
  const known = ends.get(id)
  if (known !== undefined) return known
  const own = spanOf(every, timeZone, quarterUs)
  let endUs = quarterUs
  while (spanOf(every, timeZone, endUs) === own) endUs += stepUs
  ends.set(id, endUs)
  return endUs
}

function spanOf(every: Every, timeZone: string, us: number): string {
  const date = dateIn(timeZone, us)
  if (every === 'day') return date
  if (every === 'month') return date.slice(0, 7)
  // 5 January 1970 was a Monday.
  return String(Math.floor((Date.parse(date) / 86_400_000 - 4) / 7))
}

/** `2024-03-31` */
function dateIn(timeZone: string, us: number): string {
  let format = formats.get(timeZone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('sv-SE', { timeZone })
    formats.set(timeZone, format)
  }
  return format.format(us / 1000)
}
