import { createLimiter, type Decision, type Key, type Limiter, type Policy, type Store } from '@sluice/core'
import { storeError } from '@sluice/core/internal'
import { type FlexibleWindow, flexibleWindow, foreverMs, middle } from './flexible-window.ts'

/** What a store answers about a key. */
export interface Counted {
  readonly count: number
  /** Milliseconds until the window or the block ends; -1: never. */
  readonly msLeft: number
}

/** A cost that counts, whatever the limit says, as any but 0 and 1 does. */
const counting = 2

/** The policies of the latest calls, as most calls differ in nothing. */
const policies = new Map<string, Policy>()
const mostPolicies = 1000

function policyFor(change: FlexibleWindow): Policy {
  const { units, puts, limit, windowUs, blockUs, blockAt } = change
  const name = `${units} ${puts} ${limit} ${windowUs} ${blockUs} ${blockAt}`
  const known = policies.get(name)
  if (known !== undefined) return known
  if (policies.size >= mostPolicies) policies.clear()
  const policy = flexibleWindow(change)
  policies.set(name, policy)
  return policy
}

const looking = policyFor({ units: 0, puts: false, limit: 0, windowUs: 0, blockUs: 0, blockAt: 0 })

/** The counts of one store, by the keys of rate-limiter-flexible. */
export class Counts {
  readonly #limiter: Limiter

  constructor(store: Store) {
    this.#limiter = createLimiter({
      name: 'rate-limiter-flexible',
      policy: looking,
      store,
      onStoreFailure: 'deny',
    })
  }

  async change(key: Key, change: FlexibleWindow): Promise<Counted> {
    const options = { cost: counting, policy: policyFor(change) }
    return countedIn(await this.#limiter.check(key, options), change.limit)
  }

  /** null: the key has no count. */
  async look(key: Key, limit: number): Promise<Counted | null> {
    const counted = countedIn(await this.#limiter.peek(key, { cost: 0 }), limit)
    return counted.msLeft === 0 ? null : counted
  }

  /** Whether there was a count. */
  async forget(key: Key): Promise<boolean> {
    const known = await this.look(key, 0)
    await this.#limiter.reset(key)
    return known !== null
  }
}

function countedIn(decision: Decision, limit: number): Counted {
  if (decision.reason === 'store-unavailable') {
    throw storeError('redis', 'rate-limiter-flexible: the store does not answer')
  }
  // The key was blocked by hand, as on the dashboard: its count is kept, and not shown.
  if (!decision.allowed) return { count: Math.floor(limit) + 1, msLeft: decision.retryAfterMs ?? -1 }
  const msLeft = decision.resetAfterMs
  return { count: middle - decision.remaining, msLeft: msLeft > foreverMs ? -1 : msLeft }
}

const shared = new WeakMap<Store, Counts>()

/** Limiters on one store with one `keyPrefix` share their counts. */
export function countsOf(store: Store): Counts {
  const known = shared.get(store)
  if (known !== undefined) return known
  const counts = new Counts(store)
  shared.set(store, counts)
  return counts
}
