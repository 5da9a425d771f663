import type { VirtualTime } from '../world/time.ts'

interface Reading {
  readonly isGone: boolean
  reply(value: unknown, ran: undefined, atUs: number): void
}

/** Blocking reads that wait for something, first come first served. */
export class Parked<T extends Reading> {
  readonly #time: VirtualTime
  readonly #waiting = new Set<T>()
  /** The reads whose time is running. */
  readonly #timed = new WeakSet<T>()

  constructor(time: VirtualTime) {
    this.#time = time
  }

  /** Parks a read. It is answered with nothing when its time is over, which begins when it is parked for the first time. */
  park(read: T, forMs: number): void {
    this.#waiting.add(read)
    if (this.#timed.has(read)) return
    this.#timed.add(read)
    this.#time.after(forMs * 1000, () => {
      if (this.#waiting.delete(read)) read.reply(null, undefined, this.#time.nowUs)
    })
  }

  /** Takes all parked reads, to run them again. */
  take(): readonly T[] {
    const all = [...this.#waiting].filter((read) => !read.isGone)
    this.#waiting.clear()
    return all
  }

  forget(): void {
    this.#waiting.clear()
  }
}
