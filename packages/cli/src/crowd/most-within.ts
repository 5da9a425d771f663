/** The earliest and latest time at which something happened, in milliseconds. */
export interface Between {
  readonly fromMs: number
  readonly toMs: number
}

/**
 * The most events that certainly happened within any span of that length: a decision on a server happens at a time that is only
 * known to lie between two others, and events that may lie outside are not counted.
 */
export function mostWithin(times: readonly Between[], spanMs: number): number {
  const sure = times.filter(({ fromMs, toMs }) => toMs - fromMs < spanMs)
  // A span contains an event if it begins in (`toMs - spanMs`, `fromMs`].
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
