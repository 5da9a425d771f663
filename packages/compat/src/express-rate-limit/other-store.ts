import { codedTypeError, optionError, storeError } from '@sluice/core/internal'
import type { Hit } from './sluice-store.ts'
import type { ClientRateLimitInfo, LegacyStore, Store } from './types.ts'

/** Longest that a request waits for a store that is not Sluice's. */
const deadlineMs = 5000

function isLegacy(store: Store | LegacyStore): store is LegacyStore {
  return !('increment' in store) && 'incr' in store
}

/** Gives a store of version 5 the interface of today. */
class ModernStore implements Store {
  readonly #store: LegacyStore

  constructor(store: LegacyStore) {
    this.#store = store
  }

  increment(key: string): Promise<ClientRateLimitInfo> {
    return new Promise((resolve, reject) => {
      this.#store.incr(key, (error, totalHits, resetTime) => {
        if (error) reject(error)
        else resolve({ totalHits, resetTime })
      })
    })
  }

  decrement(key: string): void {
    this.#store.decrement(key)
  }

  resetKey(key: string): void {
    this.#store.resetKey(key)
  }
}

/** The store with the interface of today. Throws an OptionError for what is no store. */
export function readStore(store: Store | LegacyStore): Store {
  const modern: Store =
    typeof store === 'object' && store !== null && isLegacy(store) ? new ModernStore(store) : store
  const needed = ['increment', 'decrement', 'resetKey'] as const
  const optional = ['init', 'resetAll'] as const
  const isStore =
    needed.every((name) => typeof modern?.[name] === 'function') &&
    optional.every((name) => modern[name] === undefined || typeof modern[name] === 'function')
  if (isStore) return modern
  throw optionError('store', 'a store with increment, decrement and resetKey, or a store of Sluice', store)
}

/** Counts a hit in a store that is not Sluice's, and bounds the wait for it. */
export async function hitIn(store: Store, key: string): Promise<Hit> {
  const answer: unknown = await bounded(Promise.resolve(store.increment(key)))
  const { totalHits, resetTime } = infoOf(answer, store)
  return {
    totalHits,
    resetTime,
    giveBack() {
      // A hit whose window has ended is gone already.
      if (resetTime === undefined || Date.now() < resetTime.getTime()) return store.decrement(key)
    },
  }
}

/** Reads a store's answer. Throws a StoreError for one without a count: the request would pass without a limit. */
function infoOf(answer: unknown, store: Store): ClientRateLimitInfo {
  const info: { totalHits?: unknown; resetTime?: unknown } =
    typeof answer === 'object' && answer !== null ? answer : {}
  const { totalHits, resetTime } = info
  if (typeof totalHits === 'number' && !Number.isNaN(totalHits))
    return { totalHits, resetTime: isInstant(resetTime) ? resetTime : undefined }
  throw storeError(store.constructor.name, 'the store answered no totalHits')
}

/** Recognises a date by its method, as a test's `Date` is another class. */
function isInstant(value: unknown): value is Date {
  return (
    typeof value === 'object' &&
    value !== null &&
    'getTime' in value &&
    typeof value.getTime === 'function' &&
    Number.isFinite(value.getTime())
  )
}

function bounded<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(storeError('store', `the store has not answered for ${deadlineMs / 1000} seconds`))
    }, deadlineMs)
    const settle =
      <V>(end: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer)
        end(value)
      }
    answer.then(settle(resolve), settle(reject))
  })
}

/** Answers `getKey` for a store that cannot look. */
export function cannotGet(): never {
  throw codedTypeError('getKey: the store has no method get', { code: 'SLUICE_UNSUPPORTED' })
}
