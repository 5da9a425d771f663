import type { Cure } from '../outage/troubles.ts'
import type { Bounds, Seen } from './judge/bounds.ts'
import type { Place } from './places.ts'
import type { ServerProcess } from './server-process.ts'
import type { Choices, Framework } from './settings.ts'

/**
 * Something that befalls the store while two processes of each framework serve under a steady load, and what may come of it.
 *
 * A new one is an object in a file of `scenarios/` and a line in `scenarios/list.ts`; `npm test -- trials -t 'TITLE'` runs it
 * alone. With `SLUICE_TRIAL_FIGURES=1` each prints what was measured.
 *
 * In turn: the place is made, the servers start, the load begins; after two seconds `befall` is called, and after `lastsMs` more the cure
 * that it has answered; the load goes on until there was time to be exact again; the servers are asked to end; the answers are judged
 * for each framework by itself. The two processes of a framework count together, and apart from the other frameworks.
 *
 * @example
 * export const stopped: Trial<Proxied> = {
 *   title: 'a server that is stopped and goes on',
 *   frameworks,
 *   place: behindProxy,
 *   async befall({ place }) {
 *     place.server.hang()
 *     return async () => place.server.goOn()
 *   },
 * }
 */
export interface Trial<P extends Place = Place> {
  /** The name by which it is run alone. */
  readonly title: string
  /** The frameworks, which are tried at the same time, on one place. */
  readonly frameworks: readonly Framework[]
  readonly place: () => Promise<P>
  /** Options of the server programs beyond where Redis is. */
  readonly choices?: Choices
  /** Whether the trouble begins before the servers do. @default false */
  readonly befallsFirst?: boolean
  /** Whether Redis has forgotten its counts when it comes back: then exhausted callers are exhausted only until then. @default false */
  readonly forgets?: boolean
  /** How long the trouble lasts once it has befallen. @default 2000 */
  readonly lastsMs?: number
  /** What callers must see of the trouble; otherwise it counts as not having happened. @default 'outage' */
  readonly sees?: Seen
  /** Bounds that differ from those of all trials, and why. */
  readonly bounds?: Partial<Bounds> & { readonly because: string }
  /** Begins the trouble. The cure that it answers ends the trouble, and resolves when Redis could answer again. */
  befall(stage: Stage<P>): Promise<Cure>
}

/** What a trial may act upon. */
export interface Stage<P extends Place = Place> {
  readonly place: P
  /** Two for each framework, or none where the trouble comes first. */
  readonly servers: readonly ServerProcess[]
}
