// Takes the place of core's clients in a simulation: what a process is given as `redis` makes its own connections.
import type { Connection } from '@sluice/core/internal'

interface Reached {
  readonly connect: () => Connection
  readonly connectAgain: () => Connection
  readonly owned: object
}

interface Connects {
  connect(): Connection
}

export function readClient(redis: Connects): Reached {
  return { connect: () => redis.connect(), connectAgain: () => redis.connect(), owned: redis }
}
