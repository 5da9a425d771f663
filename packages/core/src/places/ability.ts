import type { Decision } from '../decision/decision.ts'
import type { LaneCheck } from '../decision/lane.ts'
import type { States, StateTable } from '../memory/states.ts'
import type { Policy } from '../policy.ts'
import type { InLine, LinePlace, Store } from '../store.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import type { Wait } from '../waiting/wait.ts'
import type { Leases } from './lease-renewal.ts'
import type { Lines } from './lines.ts'
import type { LineLimiter, StartedQuestion } from './seek.ts'

/** What keeps the places of requests in flight. It comes with the strategy that has them, so that nobody else carries it. */
export interface Places {
  leasesIn(store: Store): Leases
  /** undefined: nobody has waited there. */
  linesAlreadyIn(store: Store): Lines | undefined
  /** Answers when the caller has a place or may not wait any longer, at once where there is nothing to wait for. */
  seek<About extends StartedQuestion>(
    limiter: LineLimiter<About>,
    checks: readonly LaneCheck[],
    wait: Wait,
  ): Decision | Promise<Decision>
  /** Throws an OptionError where a place cannot be waited for, as other policies are asked with its own. */
  mustStandAlone(checks: readonly { readonly policy: Policy | null }[]): void
  /** Callers in line where the states are in this process. */
  stand<T extends StateTable>(
    states: States<T>,
    callers: readonly InLine[],
    nowUs: number,
  ): readonly LinePlace[]
}

/** What keeps a policy's places in flight; undefined: it has none. */
export function placesOf({ policy }: { readonly policy: Policy }): Places | undefined {
  return partsOf(policy).definition.places as Places | undefined // strategies get it from places.ts
}
