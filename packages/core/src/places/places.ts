import type { Decision } from '../decision/decision.ts'
import type { LaneCheck } from '../decision/lane.ts'
import type { Wait } from '../limiter/delays.ts'
import type { States, StateTable } from '../memory/states.ts'
import type { InLine, LinePlace, Store } from '../store.ts'
import { standInMemory } from './in-memory.ts'
import { type Leases, leasesIn } from './leases.ts'
import { type Lines, linesAlreadyIn } from './lines.ts'
import { type LineLimiter, seekPlace } from './seek.ts'

/** What keeps the places of requests in flight. It comes with the strategy that has them, so that nobody else carries it. */
export interface Places {
  leasesIn(store: Store): Leases
  /** undefined: nobody has waited there. */
  linesAlreadyIn(store: Store): Lines | undefined
  /** Answers when the caller has a place or may not wait any longer, at once where there is nothing to wait for. */
  seek(limiter: LineLimiter, checks: readonly LaneCheck[], wait: Wait): Decision | Promise<Decision>
  /** Callers in line where the states are in this process. */
  stand<T extends StateTable>(
    states: States<T>,
    callers: readonly InLine[],
    nowUs: number,
  ): readonly LinePlace[]
}

export const places: Places = { leasesIn, linesAlreadyIn, seek: seekPlace, stand: standInMemory }
