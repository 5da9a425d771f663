import { byName, type Value } from './values.ts'

/** What is asked of a queue: one of `@sluice/queue`, or of your own. */
export interface ObservedQueue {
  readonly name: string
  health(): Promise<QueueNumbers>
}

export interface QueueNumbers {
  readonly waiting: number
  readonly running: number
  /** Age of the oldest entry that is not done; null where there is none. */
  readonly oldestMs: number | null
  readonly done: number
  readonly dead: number
}

/** Queues to be asked, or a function that answers those of today. */
export type Queues = readonly ObservedQueue[] | (() => readonly ObservedQueue[])

/** Whoever collects gives up after some seconds, and has all the other metrics to take home. */
const longestMs = 1000

type Answers = readonly (readonly [name: string, numbers: QueueNumbers])[]

/** Asks queues how they stand, once for all the metrics of one collection; those out of reach are left out. */
export class QueueHealths {
  readonly #queues: Queues
  readonly #asked = new WeakMap<ObservedQueue, Promise<QueueNumbers | undefined>>()

  constructor(queues: Queues) {
    this.#queues = queues
  }

  async read(number: (numbers: QueueNumbers) => number): Promise<readonly Value[]> {
    const named = (await this.#all()).map(([name, numbers]) => [name, number(numbers)] as const)
    return byName('queue', named, (_, other) => other)
  }

  async #all(): Promise<Answers> {
    const queues = this.#today()
    const answers = await Promise.all(queues.map((queue) => soon(this.#ask(queue))))
    return queues.flatMap((queue, i) => {
      const numbers = answers[i]
      return numbers === undefined ? [] : [[queue.name, numbers] as const]
    })
  }

  /** What goes wrong here must not keep the other metrics. */
  #today(): readonly ObservedQueue[] {
    if (typeof this.#queues !== 'function') return this.#queues
    try {
      const queues: unknown = this.#queues()
      return Array.isArray(queues) ? queues : []
    } catch {
      return []
    }
  }

  /** A queue that does not answer is not asked again meanwhile. */
  #ask(queue: ObservedQueue): Promise<QueueNumbers | undefined> {
    const pending = this.#asked.get(queue)
    if (pending !== undefined) return pending
    const asked = askedOnce(queue).finally(() => this.#asked.delete(queue))
    this.#asked.set(queue, asked)
    return asked
  }
}

async function askedOnce(queue: ObservedQueue): Promise<QueueNumbers | undefined> {
  try {
    return await queue.health()
  } catch {
    return undefined
  }
}

function soon<T>(promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, longestMs, undefined)
    timer.unref()
    void promise.then((value) => {
      clearTimeout(timer)
      resolve(value)
    })
  })
}
