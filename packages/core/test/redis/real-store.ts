import { randomBytes } from 'node:crypto'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { type Check, concurrency, type Policy, type Question, tokenBucket } from '../../src/index.ts'
import { fromIoredis } from '../../src/redis/connections.ts'
import { RedisStore } from '../../src/redis/store.ts'
import { hourly } from '../hourly.ts'

/** The Redis store as it is shipped, on the server's own clock. */
export function realStore(prefix = ''): { store: RedisStore; client: Redis } {
  const client = new Redis({ path: socket })
  const store = new RedisStore({ connection: fromIoredis(client), prefix, deadlineUs: 0 })
  return { store, client }
}

/** A policy of each strategy, and the bucket that starts empty. */
export const policies: readonly Policy[] = [
  ...hourly,
  tokenBucket({ capacity: 2, count: 1, period: '1h', start: 'empty' }),
  concurrency({ limit: 1, lease: '1h' }),
]

const mark = randomBytes(5).toString('hex')
let keys = 0

/** A check on a key that no other has. */
export function checkOf(policy: Policy, more: Partial<Check> = {}): Check {
  const key = `${mark}.${keys++}`
  const id = `suite:policy:${policy.strategy}`
  return { id, policy, key, cost: 1, note: undefined, shadow: false, onStoreFailure: 'local', ...more }
}

export function question(check: Check, take = true): Question {
  return { checks: [check], charge: 'all-or-nothing', maxWaitUs: 0, take }
}
