import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { bundled } from '@sluice/faults/bundle'

const program = bundled(path.join(__dirname, 'program.ts'))

/** What a process of the test does for it; it answers when that is done. */
export type Order =
  | { readonly do: 'set clock'; readonly us: number }
  /** So many checks of the key at once. */
  | { readonly do: 'check'; readonly key: string; readonly times: number }
  | { readonly do: 'close' }

/** How many checks were admitted by the store, and how many by the process alone. */
export interface Checked {
  readonly byStore: number
  readonly alone: number
}

export interface ChildOptions {
  /** The instant at which its clock stands until it is set. @default the real one */
  readonly clock?: number
  readonly file?: string
  /** @default '20s' */
  readonly deadline?: string
}

/** Another process with a host store: its limit is 100 an hour. */
export class Child {
  readonly #process: ChildProcess

  private constructor(process: ChildProcess) {
    this.#process = process
  }

  /** Once its store is ready. */
  static async start(folder: string, options: ChildOptions = {}): Promise<Child> {
    const child = new Child(fork(await program(), [JSON.stringify({ folder, ...options })]))
    const [message] = await once(child.#process, 'message')
    if (message !== 'ready') throw new Error(String(message))
    return child
  }

  async ask<Answer>(order: Order): Promise<Answer> {
    const answer = once(this.#process, 'message')
    this.#process.send(order)
    const [message] = await answer
    return message as Answer // as the order says
  }

  check(key: string, times: number): Promise<Checked> {
    return this.ask({ do: 'check', key, times })
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process.kill(signal)
  }

  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const exit = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exit
  }

  /** The process is left alone, with its store open: it ends by itself. */
  async leave(): Promise<number | null> {
    const exit = once(this.#process, 'exit')
    this.#process.disconnect()
    const [code] = await exit
    return code as number | null // as `exit` has it
  }

  /** It is asked to close its store, and ends by itself then. */
  async end(): Promise<number | null> {
    await this.ask({ do: 'close' })
    return this.leave()
  }
}
