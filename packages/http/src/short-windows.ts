import type { GateLimiter } from './subject.ts'

/** `Retry-After` and the other fields have whole seconds. */
const shortestMs = 1000

/** Warns of a window whose number most likely was meant as seconds. One request in a part of a second is a pause, and no mistake. */
export function checkWindows(limiter: GateLimiter): void {
  for (const { name, policy } of limiter.lanes ?? []) {
    if (policy === null || policy.limit < 2 || policy.windowMs === null || policy.windowMs >= shortestMs)
      continue
    limiter.warned?.(
      'SLUICE_SHORT_WINDOW',
      `the window of policy "${name}" is ${policy.windowMs} ms: for seconds write '${policy.windowMs}s'`,
    )
  }
}
