import { decisions } from '@sluice/core/internal'
import { type HeaderOptions, outcomeOf } from '@sluice/http'
import type { AskedPath, LevelVerdict, Limits, TogetherDecision } from '@sluice/limits'
import type { Tls } from './secrets/tls.ts'

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
  /** Nobody is refused, whatever the limits say. */
  readonly shadow: boolean
  /** undefined: it speaks without. */
  readonly tls: Tls | undefined
}

type Told = Pick<ReturnType<typeof outcomeOf>, 'headers' | 'refusal'>
const passed: Told = { headers: [], refusal: null }

/** What the client is told of a decision. */
export function outcomeFor({ decision }: TogetherDecision, { headers, shadow }: FrontParts): Told {
  return shadow ? passed : outcomeOf(decision, { headers })
}

/** What a limit has left for a client: nothing where it refuses, as some back off only then. */
export function leftOf({ allowed, remaining }: LevelVerdict): number {
  return allowed ? remaining : 0
}

export function deciderOf(limits: Limits): Decide {
  return async (asked) => {
    const together = await limits.checkTogether(asked)
    // A place in flight ends with its lease.
    decisions.lapseLeases(together.decision)
    return together
  }
}
