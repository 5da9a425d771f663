/** `03:12:44 UTC`, with its day where that is not today. */
export function clockText(ms: number, nowMs: number = Date.now()): string {
  const [day, time] = new Date(ms).toISOString().split('T') as [string, string]
  const today = new Date(nowMs).toISOString().startsWith(day)
  return `${today ? '' : `${day} `}${time.slice(0, 8)} UTC`
}

/** `10 min`, `59 min 58 s`, `1 d 2 h`: rounded up to the smaller of two units. */
export function spanText(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)} ms`
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return pair(seconds, 60, ['min', 's'])
  const minutes = Math.ceil(seconds / 60)
  return minutes < 1440 ? pair(minutes, 60, ['h', 'min']) : pair(Math.ceil(minutes / 60), 24, ['d', 'h'])
}

function pair(value: number, base: number, [large, small]: readonly [string, string]): string {
  const rest = value % base
  return `${Math.floor(value / base)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`
}
