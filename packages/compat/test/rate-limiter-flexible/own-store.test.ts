import { stateStore, type Transact } from '@sluice/state'
import { RateLimiterRedis } from '../../src/rate-limiter-flexible/index.ts'
import { describeLimiter } from './limiter-cases.ts'

/** States as a database keeps them. */
const states = new Map<string, string>()
const transact: Transact = async (keys, change) => {
  const { result, writes } = change(
    keys.map((key) => states.get(key) ?? null),
    Math.floor((performance.timeOrigin + performance.now()) * 1000),
  )
  for (const { key, state } of writes) {
    if (state === null) states.delete(key)
    else states.set(key, state)
  }
  return result
}
const storeClient = stateStore({ name: 'rows', transact })

describeLimiter('a state store', (options) => new RateLimiterRedis({ ...options, storeClient }))
