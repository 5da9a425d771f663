import type { Redis } from 'ioredis'
import {
  concurrency,
  createLimiter,
  type Limiter,
  type Policy,
  redisStore,
  type Store,
} from '../../src/index.ts'

/** An order to a process that holds places; it answers each with a number. */
export type Order =
  /** Answered by how many it holds then. */
  | { readonly do: 'take' | 'release'; readonly times: number }
  /** Its event loop stands still for so long, from then on. */
  | { readonly do: 'block'; readonly ms: number }
  | { readonly do: 'count losses' }

export const places = 4
const lease = '1.5s'

/** A busy machine must not pass for an outage. */
export function storeOn(client: Redis): Store {
  return redisStore(client, { deadline: '5s' })
}

/** Places that processes share under a name. */
export function slotsOn(
  store: Store,
  name: string,
  lost: () => void,
): Limiter<{ readonly default: Policy<'line'> }> {
  const logger = { warn() {}, error() {} }
  const policy = concurrency({ limit: places, lease })
  return createLimiter({ name, policy, store, observers: [{ lost }], logger })
}
