import { spanWords } from '@sluice/core/internal'

/** `03:12:44 UTC`, with its day where that is another. */
export function clockText(ms: number, nowMs: number = Date.now()): string {
  const [day, time] = new Date(ms).toISOString().split('T') as [string, string]
  const today = new Date(nowMs).toISOString().startsWith(day)
  return `${today ? '' : `${day} `}${time.slice(0, 8)} UTC`
}

/** `10 min`, in whole seconds from a second on. */
export function spanText(ms: number): string {
  return spanWords((ms < 1000 ? ms : Math.ceil(ms / 1000) * 1000) * 1000)
}
