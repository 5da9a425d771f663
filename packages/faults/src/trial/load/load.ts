import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { bundled } from '../../bundle.ts'
import type { Exchange } from '../exchange.ts'
import { root } from '../running.ts'
import type { Machine } from './machine.ts'
import type { Report, Target } from './sender.ts'

const program = bundled(path.join(import.meta.dirname, 'program.ts'))

/** Requests to all servers of a trial at a steady pace, from a process of its own. */
export class Load {
  readonly #process: ChildProcess
  readonly #exchanges: Exchange[] = []
  #machine: Machine = { longestStallMs: 0, mostOfOne: 0, mostOfAll: 0 }

  private constructor(process: ChildProcess) {
    this.#process = process
    process.on('message', ({ exchanges, machine }: Report) => {
      this.#exchanges.push(...exchanges)
      this.#machine = machine
    })
  }

  /** Resolves when the first request is about to be sent. */
  static async start(targets: readonly Target[]): Promise<Load> {
    const child = fork(await program(), [JSON.stringify(targets)], { cwd: root })
    await once(child, 'message')
    child.send('start')
    return new Load(child)
  }

  /** Stops the load. Resolves to all requests, once each is answered or will not be, and to what was measured of the machine. */
  async stop(): Promise<Report> {
    const ended = once(this.#process, 'exit')
    this.#process.send('stop')
    const [code] = await ended
    if (code !== 0) throw new Error(`the load ended with ${code}`)
    return { exchanges: this.#exchanges, machine: this.#machine }
  }

  /** Ends the load at once, whatever is under way. */
  kill(): void {
    this.#process.kill('SIGKILL')
  }
}
