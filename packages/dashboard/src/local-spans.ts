import type { Sums } from './sums.ts'
import type { History } from './wire.ts'

/** The seconds in which something was decided without the store; neighbours are one span. */
export function localSpans(local: Sums, fromSecond: number, lastSecond: number): History['outages'] {
  const spans: (readonly [fromSecond: number, toSecond: number])[] = []
  if (local.empty) return spans
  let begun: number | undefined
  for (let second = fromSecond; second <= lastSecond + 1; second++) {
    const isLocal = second <= lastSecond && local.in(second, 1) > 0
    if (isLocal) begun ??= second
    else if (begun !== undefined) {
      spans.push([begun, second])
      begun = undefined
    }
  }
  return spans
}
