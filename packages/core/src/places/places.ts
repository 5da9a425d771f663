import type { Places } from './ability.ts'
import { mustStandAlone } from './alone.ts'
import { standInMemory } from './in-memory.ts'
import { leasesIn } from './leases.ts'
import { linesAlreadyIn } from './lines.ts'
import { seekPlace } from './seek.ts'

/** All that places in flight need: a strategy that imports this brings it along. */
export const places: Places = {
  leasesIn,
  linesAlreadyIn,
  seek: seekPlace,
  mustStandAlone,
  stand: standInMemory,
}
