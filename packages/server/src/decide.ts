import { decisions } from '@sluice/core/internal'
import { type HeaderOptions, outcomeOf } from '@sluice/http'
import type { AskedPath, LevelVerdict, Limits, TogetherDecision } from '@sluice/limits'
import type { Tls } from './secrets/tls.ts'

/** How long a whole request may take to come; a slower client is cut off. */
export const requestMs = 10_000

/** Decides for callers that never say when their requests are over. */
export type Decide = (asked: readonly AskedPath[]) => Promise<TogetherDecision>

/** The parts that both protocols need. */
export interface FrontParts {
  readonly decide: Decide
  /** Called with an error that no caller has made. */
  readonly failed: (error: unknown) => void
  /** Which fields a client gets. */
  readonly headers: false | HeaderOptions | undefined
  /** Whether nobody is refused, whatever the limits say. */
  readonly shadow: boolean
  /** undefined: no TLS. */
  readonly tls: Tls | undefined
}

type Told = Pick<ReturnType<typeof outcomeOf>, 'headers' | 'refusal'>
const passed: Told = { headers: [], refusal: null }

/** The fields and the refusal that a client gets for a decision. */
export function outcomeFor({ decision }: TogetherDecision, { headers, shadow }: FrontParts): Told {
  return shadow ? passed : outcomeOf(decision, { headers })
}

/** How many units a limit has left, as clients are told: none if it refuses, as some back off only then. */
export function leftOf({ allowed, remaining }: LevelVerdict): number {
  return allowed ? remaining : 0
}

export function deciderOf(limits: Limits): Decide {
  return async (asked) => {
    const together = await limits.checkTogether(asked)
    // Nobody releases a place in flight here: it ends with its lease.
    decisions.lapseLeases(together.decision)
    return together
  }
}
