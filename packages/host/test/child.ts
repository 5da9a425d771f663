import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'

/** What a process of the test does for it; it answers when that is done. */
export type Order =
  | { readonly do: 'set clock'; readonly us: number }
  /** So many checks of the key at once: how many were admitted, and by whom. */
  | { readonly do: 'check'; readonly key: string; readonly times: number }
  | { readonly do: 'close' }

/** How many of them were admitted by the store, and how many by this process alone. */
export interface Checked {
  readonly byStore: number
  readonly alone: number
}

/** Another process with a host store. */
export class Child {
  readonly #process: ChildProcess

  /** `clock`: it goes by orders, from this instant. */
  constructor(folder: string, about: { readonly clock?: number; readonly file?: string } = {}) {
    const program = path.join(__dirname, 'program.ts')
    this.#process = fork(program, [JSON.stringify({ folder, ...about })], {
      execArgv: ['--conditions=sluice-source', '--import', 'tsx'],
    })
  }

  /** Its first message says that its store is ready. */
  async ready(): Promise<this> {
    await once(this.#process, 'message')
    return this
  }

  async ask<Answer>(order: Order): Promise<Answer> {
    const answer = once(this.#process, 'message')
    this.#process.send(order)
    const [message] = await answer
    return message as Answer // as the order says
  }

  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    this.#process.kill(signal)
  }

  async end(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<number | null> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return this.#process.exitCode
    const exit = once(this.#process, 'exit')
    this.#process.kill(signal)
    const [code] = await exit
    return code as number | null // as `exit` has it
  }
}
