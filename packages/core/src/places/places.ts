import type { Places } from './ability.ts'
import { mustStandAlone } from './alone.ts'
import { standInMemory } from './in-memory.ts'
import { leasesIn } from './leases.ts'
import { linesAlreadyIn } from './lines.ts'
import { seekPlace } from './seek.ts'

/** The whole ability: whoever imports this carries it. */
export const places: Places = {
  leasesIn,
  linesAlreadyIn,
  seek: seekPlace,
  mustStandAlone,
  stand: standInMemory,
}
