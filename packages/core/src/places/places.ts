import type { PolicyVerdict } from '../decision/verdict.ts'
import type { Store } from '../store.ts'
import type { Places } from './ability.ts'
import { renewOne, standInMemory } from './in-memory.ts'
import { givingBack, leasesIn } from './lease-renewal.ts'
import { linesAlreadyIn } from './lines.ts'
import { mustBeAbleToWait, seekPlace } from './seek.ts'

function lapse(leases: readonly PolicyVerdict[], store: Store): void {
  const kept = leasesIn(store)
  for (const { row } of leases) kept.drop(row)
}

/** All that places in flight need. Only strategies whose units are in flight import it, so that bundles without them leave it out. */
export const places: Places = {
  keep: (check, row, limiter) => leasesIn(limiter.store).keep(check, row, limiter),
  lapse,
  lapseAllOf: (limiter) => leasesIn(limiter.store).dropAllOf(limiter),
  async free(leases, limiter) {
    const { store } = limiter
    lapse(leases, store)
    await leasesIn(store).free(limiter.adjust(leases.map(givingBack)))
    linesAlreadyIn(store)?.freed(leases)
  },
  settled: (store) => linesAlreadyIn(store)?.settled(),
  seek: seekPlace,
  mustBeAbleToWait,
  renew: renewOne,
  stand: standInMemory,
}
