import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { bundled } from '@sluice/faults/bundle'
import { socket } from '@sluice/faults/redis-socket'
import type { Answers, Task } from './worker.ts'

type Given = Omit<Task, 'redis'>

const program = bundled(path.join(import.meta.dirname, 'worker.ts'))

/** Starts a process that offers or works. */
async function start(task: Task): Promise<ChildProcess> {
  return fork(await program(), [JSON.stringify(task)])
}

/** What a process that offers was answered. */
export async function offering(task: Given & Required<Pick<Task, 'offer'>>): Promise<Answers> {
  const [answers] = (await once(await start({ redis: socket, ...task }), 'message')) as [Answers]
  return answers
}

/** Processes that work; one that dies by itself is replaced. */
export class Crew {
  readonly #task: Task
  readonly #workers: ChildProcess[] = []
  #isOver = false
  #deaths = 0

  /** `redis`: the path of a socket, or a URL. */
  constructor(task: Given & Required<Pick<Task, 'work'>>, redis: string = socket) {
    this.#task = { redis, ...task }
  }

  get deaths(): number {
    return this.#deaths
  }

  /** Resolves when all of them take entries. */
  async start(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.#add()))
  }

  /** kill -9 to the first of them. */
  async kill(): Promise<void> {
    const [worker] = this.#workers
    if (worker === undefined) return
    const gone = once(worker, 'exit')
    worker.kill('SIGKILL')
    await gone
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#workers.map(stopped))
  }

  async #add(): Promise<void> {
    const worker = await start(this.#task)
    this.#workers.push(worker)
    worker.once('exit', () => {
      this.#workers.splice(this.#workers.indexOf(worker), 1)
      if (this.#isOver) return
      this.#deaths++
      void this.#add()
    })
    await Promise.race([once(worker, 'message'), once(worker, 'exit')])
  }
}

async function stopped(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return
  const gone = once(worker, 'exit')
  if (worker.connected) worker.send('stop')
  await gone
}
