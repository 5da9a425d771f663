import type { Exchange } from '../exchange.ts'
import type { Rule } from '../settings.ts'

/** By how much two clocks may drift apart over a window, and an instant on the other's clock may be estimated wrong. */
const slackMs = 10

/** Requests that were all admitted within one window, whenever between sending and answer each was decided. */
export interface Crowd {
  readonly admitted: number
  /** When the last of them was sent. */
  readonly lastSentAtMs: number
}

/** For each admitted request of a key, how many were surely admitted in the window that begins as it was sent. */
export function crowds(admitted: readonly Exchange[], { windowMs }: Rule): readonly Crowd[] {
  return admitted.map(({ sentAtMs }) => {
    const endMs = sentAtMs + windowMs - slackMs
    const within = admitted.filter((other) => other.sentAtMs >= sentAtMs && other.answeredAtMs <= endMs)
    const lastSentAtMs = Math.max(sentAtMs, ...within.map((other) => other.sentAtMs))
    return { admitted: within.length, lastSentAtMs }
  })
}

/** Refusals of a key before which fewer than the limit can have been admitted in the window, whenever each was decided. */
export function wrongRefusals(
  exchanges: readonly Exchange[],
  { limit, windowMs }: Rule,
): readonly Exchange[] {
  const admitted = exchanges.filter(({ status }) => status === 200)
  return exchanges.filter((refused) => {
    if (refused.status === 200) return false
    const fromMs = refused.sentAtMs - windowMs - slackMs
    const possible = admitted.filter(
      (other) => other.answeredAtMs >= fromMs && other.sentAtMs <= refused.answeredAtMs,
    )
    return possible.length < limit
  })
}
