import type { GuardOptions, Store } from '@sluice/core'
import { checkNames, optionalFunction, optionError, stores } from '@sluice/core/internal'
import { StateStore } from './store.ts'
import type { Transact } from './transactions.ts'

export interface StateStoreOptions extends GuardOptions {
  /** The value of `decision.source`. */
  name: string
  /** The one step in which states are read, changed and written. */
  transact: Transact
  /** Called by `store.close()`. @default nothing */
  close?: (() => Promise<void>) | undefined
}

const taken = ['memory', 'redis', 'fallback', 'none']

/**
 * A store on a database of your own, made of one function that reads states, changes them and writes them in one transaction. All
 * strategies that work in memory work on it. Guarded as `guardedStore` says.
 *
 * @example
 * const store = stateStore({ name: 'rows', transact: (keys, change) => inTransaction(async (rows) => { … }) })
 */
export function stateStore(options: StateStoreOptions): Store {
  checkNames(options, '', ['name', 'transact', 'close', ...stores.guardNames])
  const { name, transact, close } = options
  if (typeof name !== 'string' || name === '' || taken.includes(name))
    throw optionError('name', `a string, and none of ${taken.join(', ')}`, name)
  if (typeof transact !== 'function') throw optionError('transact', 'a function', transact)
  optionalFunction(close, 'close')
  return stores.guard(new StateStore({ name, transact, close }), stores.readGuardOptions(options))
}
