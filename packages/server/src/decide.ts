import { lapseLeases } from '@sluice/core/internal'
import type { HeaderOptions } from '@sluice/http'
import type { AskedPath, Limits, TogetherDecision } from '@sluice/limits'

/** For a whole request to come; who sends slower is cut off. */
export const requestMs = 10_000

/** Decides for callers who never say when their requests are over. */
export type Decide = (asked: readonly AskedPath[]) => Promise<TogetherDecision>

/** What both protocols need. */
export interface FrontParts {
  readonly decide: Decide
  /** Told of an error that no caller has made. */
  readonly failed: (error: unknown) => void
  /** Which fields a client is told. */
  readonly headers: false | HeaderOptions | undefined
}

export function deciderOf(limits: Limits): Decide {
  return async (asked) => {
    const together = await limits.checkTogether(asked)
    // A place in flight ends with its lease.
    lapseLeases(together.decision)
    return together
  }
}
