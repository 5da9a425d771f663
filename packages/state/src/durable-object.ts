import type { GuardOptions, Store } from '@sluice/core'
import { type ObjectStorage, transactOn } from './object-transact.ts'
import { stateStore } from './state-store.ts'

export type { ObjectStorage } from './object-transact.ts'

/**
 * A store in a Durable Object of Cloudflare, for the limiters that live in it: counts are exact, and outlive the object's eviction.
 *
 * @example
 * class Limits extends DurableObject {
 *   limiter = createLimiter({ policy: gcra({ count: 100, period: '1m' }), store: objectStore(this.ctx.storage) })
 * }
 */
export function objectStore(storage: ObjectStorage, options: GuardOptions = {}): Store {
  return stateStore({ ...options, name: 'object', transact: transactOn(storage) })
}
