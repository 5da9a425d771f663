import { AsyncLocalStorage } from 'node:async_hooks'
import vm from 'node:vm'
import { TestEnvironment } from 'jest-environment-node'
import { forgetImports } from './compiled-once.mjs'
import { measured } from './measure.mjs'
import { quickExpect, withoutQuick } from './quick-expect.mjs'

// Node takes a heap apart when a process ends by itself: for that of a worker this takes longer than the half second that jest waits.
process.once('beforeExit', () => process.exit())

/** Those in which something has run since the last file ended, and that do not end with it. */
const used = new Set()
/** What runs in the storage of jest. */
let running
const { run, getStore } = AsyncLocalStorage.prototype

// Jest runs each test and hook in a storage, by which it knows whose error it is that nobody has caught. They run one after the other: a
// variable says the same, where a storage follows each promise of the tests and of what they test.
AsyncLocalStorage.prototype.run = function runCheaply(store, callback, ...args) {
  if (!isOfJest(store)) {
    used.add(this)
    return run.call(this, store, callback, ...args)
  }
  const around = running
  const leave = () => {
    running = around
  }
  running = { storage: this, store }
  const result = callback(...args)
  result.then(leave, leave)
  return result
}

AsyncLocalStorage.prototype.getStore = function getStoreCheaply() {
  return running?.storage === this ? running.store : getStore.call(this)
}

function isOfJest(store) {
  return store?.test?.type === 'test' || store?.hook?.type !== undefined
}

// Jest would look each global up, at each use, in a proxy of its own.
const { createContext } = vm
vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY)

/**
 * Node, with plain globals, where a file's storages end with it: every promise of the files that follow in the same process would pass
 * through those that it leaves behind.
 */
export default class Environment extends TestEnvironment {
  #noteTime

  constructor(config, context) {
    super(config, context)
    this.#noteTime = measured(config.projectConfig.displayName?.name, context.testPath)
  }

  handleTestEvent({ name, runtimeGlobals, error }) {
    // What tests import from @jest/globals is taken from here, and the suites of packages/conformance take the global.
    if (name === 'setup') {
      runtimeGlobals.expect = quickExpect(runtimeGlobals.expect)
      this.global.expect = runtimeGlobals.expect
    }
    if (error !== undefined) withoutQuick(error)
  }

  async teardown() {
    await super.teardown()
    this.#noteTime()
    forgetImports()
    for (const storage of used) storage.disable()
    used.clear()
  }
}
