import { optionError } from '@sluice/core/limiter'

/** Reads `1%` or `1` as a hundredth. */
export function shareOf(text: string, option: string): number {
  const [, percent] = /^(\d+(?:\.\d+)?)\s*%?$/.exec(text.trim()) ?? []
  const share = Number(percent ?? Number.NaN) / 100
  if (share >= 0 && share <= 1) return share
  throw optionError(option, 'a percentage from 0 to 100 such as 1%', text)
}
