import type { GuardedFault } from '../guarded.ts'
import { actFaults } from './acts.ts'
import { adapterFaults } from './adapters.ts'
import { hostFaults } from './host.ts'
import { httpFaults } from './http.ts'
import { limiterFaults } from './limiters.ts'
import { limitsFaults } from './limits.ts'
import { memoryFaults } from './memory.ts'
import { operationsFaults } from './operations.ts'
import { placeFaults } from './places.ts'
import { queueFaults } from './queue.ts'
import { queueScriptFaults } from './queue-scripts.ts'
import { redisFaults } from './redis.ts'
import { scriptFaults } from './scripts.ts'
import { storeFaults } from './stores.ts'
import { strategyFaults } from './strategies.ts'
import { telemetryFaults } from './telemetry.ts'

export interface Part {
  readonly part: string
  readonly faults: readonly GuardedFault[]
}

/** All single faults but those of outages, which the simulation has in packages/simulation/src/faults/list.ts. */
export const parts: readonly Part[] = [
  { part: 'strategies', faults: strategyFaults },
  { part: 'memory', faults: memoryFaults },
  { part: 'scripts', faults: scriptFaults },
  { part: 'redis', faults: redisFaults },
  { part: 'limiters', faults: limiterFaults },
  { part: 'places', faults: placeFaults },
  { part: 'http', faults: httpFaults },
  { part: 'adapters', faults: adapterFaults },
  { part: 'limits', faults: limitsFaults },
  { part: 'queue', faults: queueFaults },
  { part: 'queue-scripts', faults: queueScriptFaults },
  { part: 'stores', faults: storeFaults },
  { part: 'host', faults: hostFaults },
  { part: 'operations', faults: operationsFaults },
  { part: 'acts', faults: actFaults },
  { part: 'telemetry', faults: telemetryFaults },
]
