import { createHash } from 'node:crypto'
import type { StateSwitch } from '../inside/states.ts'
import { type Machine, originUs } from './machine.ts'
import type { Timer } from './timers.ts'

/** Knows the machine whose process an instance of the code runs now. */
export class Host {
  #machine: Machine | undefined
  /** Switches the state of its modules from one process to another. */
  states: StateSwitch | undefined

  get machine(): Machine {
    const machine = this.#machine
    if (machine === undefined || machine.time.owner !== machine)
      throw new Error('the code runs, and no process of it does')
    return machine
  }

  /** Makes the process of this machine the one that runs from now on. */
  turnTo(machine: Machine): void {
    if (machine === this.#machine && machine.states !== undefined) return
    this.#machine = machine
    if (this.states === undefined) return
    machine.states ??= this.states.fresh()
    this.states.load(machine.states)
  }

  /** The time of `performance`, in steps of 1/1024 ms, so that no sum or difference is ever rounded. */
  nowMs(): number {
    return Math.floor((this.machine.elapsedUs * 1024) / 1000) / 1024
  }
}

type Call = (...args: readonly unknown[]) => void

/** The globals that the code of one process finds in place of the real ones, by their names. */
export function globalsOf(host: Host): Readonly<Record<string, unknown>> {
  const performance = { now: () => host.nowMs(), timeOrigin: originUs / 1000 }
  const setTimeout = (call: Call, ms = 0, ...args: readonly unknown[]) =>
    host.machine.timers.set(() => call(...args), ms)
  const setInterval = (call: Call, ms = 0, ...args: readonly unknown[]) =>
    host.machine.timers.set(() => call(...args), ms, true)
  const clear = (timer: Timer | undefined) => timer?.clear()
  const setImmediate = (call: Call, ...args: readonly unknown[]) =>
    host.machine.immediate(() => call(...args))
  const crypto = {
    getRandomValues(bytes: Uint8Array): Uint8Array {
      for (let i = 0; i < bytes.length; i++) bytes[i] = host.machine.random.whole(0, 255)
      return bytes
    },
  }
  const process = processOf(host, performance)
  const globals = {
    performance,
    setTimeout,
    setInterval,
    clearTimeout: clear,
    clearInterval: clear,
    setImmediate,
    queueMicrotask,
    crypto,
    process,
    Date: dateOf(host),
    Math: mathOf(host),
  }
  return { ...globals, globalThis: { ...globals, navigator: { userAgent: 'simulation' } } }
}

function processOf(host: Host, performance: object): object {
  const builtin: Readonly<Record<string, object>> = {
    'node:perf_hooks': { performance },
    'node:crypto': { createHash },
  }
  return {
    versions: { node: process.versions.node },
    hrtime: () => {
      const us = host.machine.elapsedUs
      return [Math.floor(us / 1e6), (us % 1e6) * 1000]
    },
    uptime: () => host.machine.elapsedUs / 1e6,
    nextTick: (call: () => void) => host.machine.time.ticks.push(call),
    getBuiltinModule: (name: string) => builtin[name],
    emitWarning: (message: string) => host.machine.warnings.push(message),
  }
}

function dateOf(host: Host): unknown {
  const Real = globalThis.Date
  function wallMs(): number {
    return Math.floor(host.machine.wallUs / 1000)
  }
  class VirtualDate extends Real {
    constructor(...args: readonly [] | readonly [number]) {
      super(args.length === 0 ? wallMs() : args[0])
    }
    static override now(): number {
      return wallMs()
    }
  }
  Object.defineProperty(VirtualDate, 'name', { value: 'Date' })
  return VirtualDate
}

function mathOf(host: Host): object {
  // Inherited members are as quick to find as in `Math` itself.
  return Object.create(Math, { random: { value: () => host.machine.random.next() } })
}
