import { jest } from '@jest/globals'
import type * as core from '@sluice/core'
import { socket } from '@sluice/faults/redis-socket'

type Client = Parameters<typeof core.redisStore>[0]

const patient = { deadline: '20s', connectDeadline: '20s' } as const

// For the test file that imports this first: this worker's Redis server has time enough to answer. A busy machine is no outage, and most
// faces take a client and no deadline.
jest.mock('@sluice/core', () => {
  const actual = jest.requireActual<typeof core>('@sluice/core')
  const redisStore: typeof core.redisStore = (redis, options = {}) =>
    actual.redisStore(redis, leadsHere(redis) ? { ...patient, ...options } : options)
  return { ...actual, redisStore }
})

/** As a client of ioredis, or of node-redis. */
function leadsHere(redis: Client): boolean {
  if (typeof redis !== 'object' || !('options' in redis)) return false
  const { path, socket: connection } = redis.options as { path?: string; socket?: { path?: string } }
  return (connection?.path ?? path) === socket
}
