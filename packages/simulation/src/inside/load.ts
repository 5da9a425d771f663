import { globalsOf, Host } from '../world/globals.ts'
import type { Machine } from '../world/machine.ts'

/** What an instance of the code offers. */
export type Code = typeof import('./index.ts')

/** The code as one process has it: with modules, clock, timers and randomness of its own. */
export interface Instance {
  readonly code: Code
  readonly host: Host
}

/** Makes instances of one bundled text, which is compiled once. */
export class Loader {
  readonly #body: (...values: readonly unknown[]) => void
  readonly #names: readonly string[]
  readonly #idle: Instance[] = []

  constructor(text: string) {
    this.#names = Object.keys(globalsOf(new Host()))
    // Its parameters are named here, and what it returns is not looked at.
    this.#body = new Function('module', 'exports', ...this.#names, text) as (
      ...values: readonly unknown[]
    ) => void
  }

  /** One that nobody uses, or a new one. */
  take(machine: Machine): Instance {
    const instance = this.#idle.pop()
    if (instance !== undefined) {
      instance.host.moveTo(machine)
      return instance
    }
    return this.fresh(machine)
  }

  fresh(machine: Machine): Instance {
    const host = new Host()
    host.moveTo(machine)
    const globals: Readonly<Record<string, unknown>> = globalsOf(host)
    const module = { exports: {} }
    this.#body(module, module.exports, ...this.#names.map((name) => globals[name]))
    return { code: module.exports as Code, host } // it is what index.ts exports
  }

  /** Nothing of its last history is left in it: no timer, nothing under way. */
  giveBack(instance: Instance): void {
    this.#idle.push(instance)
  }
}
