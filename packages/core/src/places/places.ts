import type { Places } from './ability.ts'
import { mustBeAbleToWait } from './alone.ts'
import { standInMemory } from './in-memory.ts'
import { leasesIn } from './lease-renewal.ts'
import { linesAlreadyIn } from './lines.ts'
import { renewOne } from './renew-one.ts'
import { seekPlace } from './seek.ts'

/** All that places in flight need. Only strategies whose units are in flight import it, so that bundles without them leave it out. */
export const places: Places = {
  leasesIn,
  linesAlreadyIn,
  seek: seekPlace,
  mustBeAbleToWait,
  renew: renewOne,
  stand: standInMemory,
}
