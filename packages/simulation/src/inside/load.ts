import { globalsOf, Host } from '../world/globals.ts'
import type { Machine } from '../world/machine.ts'
import { type StateSwitch, withSwitch } from './states.ts'

/** What an instance of the code offers. */
export type Code = typeof import('./index.ts')

/** The code with its modules and globals, for one process or for several that take turns. */
export interface Instance {
  readonly code: Code
  readonly host: Host
}

interface Loaded {
  readonly exports: object
  readonly states?: StateSwitch
}

/** Makes instances of one bundled text, which is compiled once. */
export class Loader {
  readonly #body: (...values: readonly unknown[]) => void
  readonly #names: readonly string[]
  #shared: Instance | undefined

  constructor(text: string) {
    this.#names = Object.keys(globalsOf(new Host()))
    // The parameters are named here, and the result is not used.
    this.#body = new Function('module', 'exports', ...this.#names, withSwitch(text)) as (
      ...values: readonly unknown[]
    ) => void
  }

  /** The instance that processes share: with the classes of one instance only, the engine can optimize what all of them run. */
  shared(machine: Machine): Instance {
    this.#shared ??= this.fresh(machine)
    return this.#shared
  }

  /** Makes a new instance, which `machine` loads and runs now. */
  fresh(machine: Machine): Instance {
    const host = new Host()
    host.turnTo(machine)
    const globals: Readonly<Record<string, unknown>> = globalsOf(host)
    const module: Loaded = { exports: {} }
    this.#body(module, module.exports, ...this.#names.map((name) => globals[name]))
    host.states = module.states
    // A copy of the exports of index.ts, without a getter for each name.
    return { code: { ...(module.exports as Code) }, host }
  }

  /** Drops the shared instance after a history that did not end as it should: something may be left in it. */
  forget(): void {
    this.#shared = undefined
  }
}
