import { storeError } from '../errors.ts'

/** One that waits for a promise until its deadline. */
interface Waiting {
  /** On the monotonic clock of `performance.now()`. */
  readonly expiresAt: number
  done: boolean
  expire(): void
}

/** So many that are done may stay in the queue before it is cut. */
const longestTail = 1024

/**
 * Bounds promises, all by the same time, with one timer. A timer also fires when this process is late, not the store: two turns
 * of the event loop pass before anything expires, so that replies already in the socket are read first.
 */
export class Deadlines {
  readonly #store: string
  readonly #ms: number
  readonly #queue: Waiting[] = []
  #head = 0
  #timer: NodeJS.Timeout | undefined

  constructor(store: string, ms: number) {
    this.#store = store
    this.#ms = ms
  }

  /** The promise's own outcome, or a StoreError at the deadline; `late` is told what it answers after that. */
  bound<T>(promise: Promise<T>, late?: (value: T) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        expiresAt: performance.now() + this.#ms,
        done: false,
        expire: () => reject(storeError(this.#store, `no answer within ${this.#ms} ms`)),
      }
      this.#add(waiting)
      promise.then(
        (value) => {
          if (waiting.done) return late?.(value)
          waiting.done = true
          resolve(value)
        },
        (error: unknown) => {
          waiting.done = true
          reject(error)
        },
      )
    })
  }

  /** Where nothing waits any more, no timer keeps the process. */
  stop(): void {
    if (this.#next() !== undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #add(waiting: Waiting): void {
    this.#queue.push(waiting)
    this.#timer ??= setTimeout(() => this.#due(), this.#ms)
  }

  #due(): void {
    setImmediate(() => setImmediate(() => this.#expire()))
  }

  #expire(): void {
    const now = performance.now()
    let next = this.#next()
    while (next !== undefined && next.expiresAt <= now) {
      next.done = true
      next.expire()
      next = this.#next()
    }
    this.#timer = next === undefined ? undefined : setTimeout(() => this.#due(), next.expiresAt - now)
  }

  /** The first that still waits; what is done is left behind. */
  #next(): Waiting | undefined {
    while (this.#queue[this.#head]?.done === true) this.#head++
    const waiting = this.#queue[this.#head]
    if (waiting === undefined || this.#head > longestTail) {
      this.#queue.splice(0, this.#head)
      this.#head = 0
    }
    return waiting
  }
}
