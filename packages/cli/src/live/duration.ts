import { durationUs, msUp } from '@sluice/core/internal'
import { UsageError } from '../exit-code.ts'
import { oneLine } from '../one-line.ts'

const longestMs = 365 * 86_400_000

/** `1h` in milliseconds. */
export function readTime(text: string): number {
  const ms = msOf(text)
  if (ms !== undefined && ms <= longestMs) return ms
  throw new UsageError(`TIME: expected a time such as 30s, 10m or 1h, at most 365d, got ${oneLine(text)}`)
}

function msOf(text: string): number | undefined {
  try {
    return msUp(durationUs(text, 'time'))
  } catch {
    return undefined
  }
}
