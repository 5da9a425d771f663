/** When something happened at the earliest and at the latest, in milliseconds. */
export interface Between {
  readonly fromMs: number
  readonly toMs: number
}

/**
 * The most that surely happened within any span of that length: who is asked over a network decides at an instant that is known
 * between two others only, and nothing is counted that may lie outside.
 */
export function mostWithin(times: readonly Between[], spanMs: number): number {
  const sure = times.filter(({ fromMs, toMs }) => toMs - fromMs < spanMs)
  // A span holds what it begins at or before, if it ends behind it: beginnings from `toMs - spanMs` (not itself) to `fromMs`.
  const opens = Float64Array.from(sure, ({ toMs }) => toMs - spanMs).sort()
  const closes = Float64Array.from(sure, ({ fromMs }) => fromMs).sort()
  let opened = 0
  let most = 0
  for (const [closed, close] of closes.entries()) {
    while (opened < opens.length && (opens[opened] ?? close) < close) opened++
    most = Math.max(most, opened - closed)
  }
  return most
}
