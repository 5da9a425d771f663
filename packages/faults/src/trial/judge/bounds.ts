import { type OnStoreFailure, processes } from '../settings.ts'

/** `outage`: some requests are answered without Redis. `nothing`: all is exact from the beginning to the end. */
export type Seen = 'outage' | 'nothing'

/** The bounds of what is allowed in a trial. */
export interface Bounds {
  /** The longest wait of any request. */
  readonly longestWaitMs: number
  /** How many limits a key may get in a window with an outage in it. */
  readonly limits: number
  /** The most requests that may be refused although there was surely room for them. */
  readonly refusedEarly: number
  /** How soon all must be exact, since Redis could answer again. */
  readonly exactWithinMs: number
}

const unbounded = Number.POSITIVE_INFINITY

/** Without local counts a process refuses all requests or none. Redis may have charged for requests that were refused. */
const choices: { readonly [choice in OnStoreFailure]: Pick<Bounds, 'limits' | 'refusedEarly'> } = {
  local: { limits: processes, refusedEarly: 0 },
  deny: { limits: 1, refusedEarly: unbounded },
  allow: { limits: unbounded, refusedEarly: 0 },
}

/** The bounds for a deadline of 100 ms, which is the default. */
export function boundsOf(choice: OnStoreFailure): Bounds {
  return { longestWaitMs: 150, exactWithinMs: 5000, ...choices[choice] }
}
