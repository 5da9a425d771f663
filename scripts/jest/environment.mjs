import { AsyncLocalStorage } from 'node:async_hooks'
import vm from 'node:vm'
import { TestEnvironment } from 'jest-environment-node'
import { forgetImports } from './compiled-once.mjs'
import { measured } from './measure.mjs'
import { quickExpect, withoutQuick } from './quick-expect.mjs'

/** Those in which something has run since the last file ended. */
const used = new Set()
const { run } = AsyncLocalStorage.prototype
AsyncLocalStorage.prototype.run = function remembered(...args) {
  used.add(this)
  return run.apply(this, args)
}

// Jest would look each global up, at each use, in a proxy of its own.
const { createContext } = vm
vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY)

/**
 * Node, with plain globals, where a file's storages end with it. Jest runs the tests of each file in a storage of its own and leaves it
 * behind: every promise of the files that follow in the same process would pass through all of them.
 */
export default class Environment extends TestEnvironment {
  #noteTime

  constructor(config, context) {
    super(config, context)
    this.#noteTime = measured(config.projectConfig.displayName?.name, context.testPath)
  }

  handleTestEvent({ name, runtimeGlobals, error }) {
    // What tests import from @jest/globals is taken from here.
    if (name === 'setup') runtimeGlobals.expect = quickExpect(runtimeGlobals.expect)
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
