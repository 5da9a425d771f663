import type { inRedis } from '@sluice/core/internal'

// Takes the place of core's clients in a simulation: what a process is given as `redis` makes its own connections.

interface Reached {
  readonly connect: () => inRedis.Connection
  readonly connectAgain: () => inRedis.Connection
  readonly owned: object
}

interface Connects {
  connect(): inRedis.Connection
}

export function readClient(redis: Connects): Reached {
  return { connect: () => redis.connect(), connectAgain: () => redis.connect(), owned: redis }
}
