import { AheadGuard } from '../ahead/guard.ts'
import { isStore } from '../answers.ts'
import { type Clock, monotonicClock } from '../clock.ts'
import { optionError } from '../errors.ts'
import { checkNames } from '../options.ts'
import type { Store } from '../store.ts'
import type { ConnectingStore } from './first-connection.ts'
import { type Guarding, type GuardOptions, guardNames, readGuardOptions } from './guard-options.ts'

export function guard(store: ConnectingStore, guarding: Guarding, clock: Clock = monotonicClock): Store {
  return new AheadGuard(store, guarding, clock)
}

/**
 * Bounds a store's waits and answers without it while it is away. For stores of your own; `redisStore` has it built in.
 *
 * @example guardedStore(myStore, { deadline: '100ms' })
 */
export function guardedStore(store: Store, options: GuardOptions = {}): Store {
  checkNames(options, '', guardNames)
  if (!isStore(store, 'store')) throw optionError('store', 'a store', store)
  return guard(store, readGuardOptions(options))
}
