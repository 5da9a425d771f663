import { byName, type Value } from './values.ts'

/** A queue from `@sluice/queue`, or your own. */
export interface ObservedQueue {
  readonly name: string
  health(): Promise<QueueNumbers>
}

export interface QueueNumbers {
  readonly waiting: number
  readonly running: number
  /** Age of the oldest unfinished entry; null if there is none. */
  readonly oldestMs: number | null
  readonly done: number
  readonly dead: number
}

/** Queues, or a function that returns the current ones. */
export type Queues = readonly ObservedQueue[] | (() => readonly ObservedQueue[])

/** Collectors time out after some seconds: one slow queue must not cost the other metrics. */
const maxWaitMs = 1000

type Answers = readonly (readonly [name: string, numbers: QueueNumbers])[]

/** Reads the health of queues once for all metrics of a collection. Leaves out queues that do not answer. */
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

  /** The current queues; none if the function fails, which must not prevent the other metrics. */
  #today(): readonly ObservedQueue[] {
    if (typeof this.#queues !== 'function') return this.#queues
    try {
      const queues: unknown = this.#queues()
      return Array.isArray(queues) ? queues : []
    } catch {
      return []
    }
  }

  /** Asks each queue once at a time: calls during a request share its answer. */
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
    const timer = setTimeout(resolve, maxWaitMs, undefined)
    timer.unref()
    void promise.then((value) => {
      clearTimeout(timer)
      resolve(value)
    })
  })
}
