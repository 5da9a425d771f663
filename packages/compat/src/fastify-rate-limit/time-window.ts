import { durationUs, optionError } from '@sluice/core/internal'

/** The milliseconds of each unit, and how it may be spelled. */
const units: readonly (readonly [RegExp, number])[] = [
  [/^(ms|msecs?|milliseconds?|)$/i, 1],
  [/^(s|secs?|seconds?)$/i, 1000],
  [/^(m|mins?|minutes?)$/i, 60_000],
  [/^(h|hrs?|hours?)$/i, 3_600_000],
  [/^(d|days?)$/i, 86_400_000],
  [/^(w|wks?|weeks?)$/i, 604_800_000],
  [/^(y|yrs?|years?)$/i, 31_557_600_000],
]

/** A time in words such as `1 minute`, in milliseconds. */
export function readTime(text: string): number {
  const [, amount, word = ''] = /^\s*(\d*\.?\d+) *([a-z]*)\s*$/i.exec(text) ?? []
  const [, unitMs] = units.find(([pattern]) => amount !== undefined && pattern.test(word)) ?? []
  const ms = Math.round(Number(amount) * (unitMs ?? Number.NaN))
  if (Number.isNaN(ms)) throw optionError('timeWindow', 'a time such as "1 minute" or 60000', text)
  durationUs(ms, 'timeWindow')
  return ms
}
