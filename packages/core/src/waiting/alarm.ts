/** A call that is due at an instant. */
interface Entry {
  readonly atMs: number
  readonly ring: () => void
  /** Its place in the heap. */
  place: number
}

/** Longer ones are slept in parts: from 2^31 ms on a timer fires at once. */
const longestSleepMs = 2 ** 30

/**
 * Calls that are due at instants of `performance.now()`, in one heap under one timer: ten thousand timers would cost twice as much.
 * A timer may fire up to a millisecond early; nothing here does. It keeps the process alive while anything is due.
 */
export class Alarm {
  readonly #heap: Entry[] = []
  #timer: NodeJS.Timeout | undefined
  #timerAtMs = Number.POSITIVE_INFINITY

  /** Rings at the instant or later; the answer calls it off. */
  set(atMs: number, ring: () => void): () => void {
    const entry = { atMs, ring, place: this.#heap.length }
    this.#heap.push(entry)
    this.#up(entry)
    this.#arm()
    return () => this.#remove(entry)
  }

  #arm(): void {
    const first = this.#heap[0]
    if (first === undefined) {
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#timerAtMs = Number.POSITIVE_INFINITY
    } else if (first.atMs < this.#timerAtMs) {
      clearTimeout(this.#timer)
      const restMs = Math.max(0, Math.ceil(first.atMs - performance.now()))
      this.#timer = setTimeout(() => this.#look(), Math.min(restMs, longestSleepMs))
      this.#timerAtMs = first.atMs
    }
  }

  #look(): void {
    this.#timerAtMs = Number.POSITIVE_INFINITY
    for (let first = this.#heap[0]; first !== undefined; first = this.#heap[0]) {
      if (first.atMs > performance.now()) break
      this.#remove(first)
      first.ring()
    }
    this.#arm()
  }

  #remove(entry: Entry): void {
    if (this.#heap[entry.place] !== entry) return
    const last = this.#heap.pop()
    if (last !== undefined && last !== entry) {
      this.#put(last, entry.place)
      this.#down(last)
      this.#up(last)
    }
    if (this.#heap.length === 0) this.#arm()
  }

  #put(entry: Entry, place: number): void {
    this.#heap[place] = entry
    entry.place = place
  }

  #up(entry: Entry): void {
    while (entry.place > 0) {
      const above = this.#heap[(entry.place - 1) >> 1]
      if (above === undefined || above.atMs <= entry.atMs) return
      this.#swap(entry, above)
    }
  }

  #down(entry: Entry): void {
    for (;;) {
      const left = this.#heap[2 * entry.place + 1]
      const right = this.#heap[2 * entry.place + 2]
      const least = right !== undefined && left !== undefined && right.atMs < left.atMs ? right : left
      if (least === undefined || least.atMs >= entry.atMs) return
      this.#swap(entry, least)
    }
  }

  #swap(one: Entry, other: Entry): void {
    const place = one.place
    this.#put(one, other.place)
    this.#put(other, place)
  }
}

/** The one alarm of this process. */
export const alarm: Alarm = new Alarm()
