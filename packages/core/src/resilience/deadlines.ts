/** Something that waits at most until its deadline. */
export interface Waiting {
  /** On the monotonic clock of `performance.now()`. */
  readonly expiresAt: number
  done: boolean
  expire(): void
}

/**
 * One timer for all that waits, as all wait equally long. A timer also fires when this process is late, not the store: two turns
 * of the event loop pass before anything expires, so that replies already in the socket are read first.
 */
export class Deadlines {
  readonly #ms: number
  readonly #queue: (Waiting | undefined)[] = []
  #head = 0
  #timer: NodeJS.Timeout | undefined

  constructor(ms: number) {
    this.#ms = ms
  }

  get ms(): number {
    return this.#ms
  }

  add(waiting: Waiting): void {
    this.#queue.push(waiting)
    this.#timer ??= setTimeout(() => this.#due(), this.#ms)
  }

  #due(): void {
    setImmediate(() => setImmediate(() => this.#expire()))
  }

  #expire(): void {
    const now = performance.now()
    let next = this.#drop(now)
    while (next !== undefined && next.expiresAt <= now) {
      next.done = true
      next.expire()
      next = this.#drop(now)
    }
    this.#timer = next === undefined ? undefined : setTimeout(() => this.#due(), next.expiresAt - now)
  }

  /** Leaves behind what is done or taken; answers the next that still waits, which is taken when it is due. */
  #drop(now: number): Waiting | undefined {
    for (; this.#head < this.#queue.length; this.#head++) {
      const waiting = this.#queue[this.#head]
      if (waiting === undefined || waiting.done) continue
      if (waiting.expiresAt <= now) this.#queue[this.#head++] = undefined
      return waiting
    }
    this.#queue.length = 0
    this.#head = 0
    return undefined
  }
}
