import {
  createLimiter,
  fixedWindow,
  guardedStore,
  type LimiterHealth,
  memoryStore,
  type Observed,
  type Observer,
  type Store,
} from '@sluice/core'
import type { ObservedQueue } from '../src/queue-healths.ts'
import type { ObservedShedding } from '../src/shedding-healths.ts'

const policy = fixedWindow({ limit: 2, window: '1h' })
const logger = { warn() {}, error() {} }

const queues: readonly ObservedQueue[] = [
  { name: 'orders', health: async () => ({ waiting: 3, running: 2, oldestMs: 1500, done: 7, dead: 1 }) },
]
const sheddings: readonly ObservedShedding[] = [
  {
    name: 'api',
    health: () => ({
      limit: 20,
      inFlight: 4,
      latencyMs: 12,
      eventLoopDelayMs: 3,
      refused: { sheddable: { limit: 5 }, default: { 'event-loop': 1 } },
    }),
  },
]
/** What exporters read besides. */
export const sources = { queues, sheddings }

/** A store of somebody's own that answers as well as that in memory, and one that does not answer at all. */
function stores(): { readonly well: Store; readonly away: Store } {
  const inner = memoryStore()
  const methods = {
    adjust: inner.adjust.bind(inner),
    manage: inner.manage.bind(inner),
    close: async () => {},
  }
  const fail = () => Promise.reject(new Error('away'))
  return {
    well: guardedStore({ ...methods, name: 'well', answer: async (question) => inner.answer(question) }),
    away: guardedStore({ ...methods, name: 'away', answer: fail, ready: fail }),
  }
}

/** A limiter as observers see it, with more in its health. */
function observed(name: string, more: Partial<LimiterHealth>): Observed {
  const limiter = createLimiter({ name, policy })
  return { name, health: () => ({ ...limiter.health(), ...more }) }
}

/** Traffic that moves every metric there is, until the breaker of a store is open. The answer ends it. */
export async function traffic(observers: readonly Observer[]): Promise<() => Promise<void>> {
  const { well, away } = stores()
  const limiters = [
    createLimiter({ name: 'here', policy, observers }),
    createLimiter({ name: 'there', policy, store: well, observers }),
    createLimiter({ name: 'tried', policy, shadow: true, observers }),
  ]
  for (const limiter of limiters) for (let i = 0; i < 3; i++) await limiter.check('bob')
  const priced = createLimiter({ name: 'priced', policy, prices: { read: 1, write: 2 }, observers })
  for (const cost of ['read', 'write'] as const) await priced.check('bob', { cost })
  const alone = createLimiter({ name: 'alone', policy, store: away, observers, logger })
  while (alone.health().breaker === 'closed') {
    await alone.check('bob')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const hot = observed('hot', { ahead: { inHand: 7, decisions: 40 } })
  for (const observer of observers) {
    observer.limiterOpened?.(hot)
    observer.lost?.({ limiter: 'here', policy: 'default', key: 'bob' })
    observer.storeFailed?.({ kind: 'late', store: 'well', sinceMs: 1 })
  }
  return async () => {
    for (const limiter of [...limiters, priced, alone]) await limiter.close()
    for (const store of [well, away]) await store.close()
  }
}
