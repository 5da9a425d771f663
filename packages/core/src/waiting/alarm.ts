/** Something that is due at an instant of `performance.now()`. */
export interface Due {
  readonly atMs: number
  /** Where in the heap it lies; kept by the alarm. */
  place: number
  ring(): void
}

/** After a ring the next one is no sooner: of a crowd that is due a millisecond apart, those that are due together ring together. */
const leastPauseMs = 2
/** Longer ones are slept in parts: from 2^31 ms on a timer fires at once. */
const longestSleepMs = 2 ** 30

/**
 * All that is due in one heap under one timer: ten thousand timers would cost twice as much. A timer may fire up to a millisecond
 * early; nothing here rings early. It keeps the process alive while anything is due.
 */
export class Alarm {
  readonly #heap: Due[] = []
  #timer: NodeJS.Timeout | undefined
  #timerAtMs = Number.POSITIVE_INFINITY

  set(due: Due): void {
    this.#put(due, this.#heap.length)
    this.#up(due)
    this.#arm()
  }

  /** What has rung, or was never set, is left as it is. */
  callOff(due: Due): void {
    if (this.#heap[due.place] !== due) return
    const last = this.#heap.pop()
    if (last !== undefined && last !== due) {
      this.#put(last, due.place)
      this.#down(last)
      this.#up(last)
    }
    if (this.#heap.length === 0) this.#arm()
  }

  #arm(leastMs = 0): void {
    const first = this.#heap[0]
    if (first === undefined) {
      clearTimeout(this.#timer)
      this.#timerAtMs = Number.POSITIVE_INFINITY
    } else if (first.atMs < this.#timerAtMs) {
      clearTimeout(this.#timer)
      const restMs = Math.max(leastMs, Math.ceil(first.atMs - performance.now()))
      this.#timer = setTimeout(() => this.#look(), Math.min(restMs, longestSleepMs))
      this.#timerAtMs = first.atMs
    }
  }

  #look(): void {
    this.#timerAtMs = Number.POSITIVE_INFINITY
    for (let first = this.#heap[0]; first !== undefined; first = this.#heap[0]) {
      if (first.atMs > performance.now()) break
      this.callOff(first)
      first.ring()
    }
    this.#arm(leastPauseMs)
  }

  #put(due: Due, place: number): void {
    this.#heap[place] = due
    due.place = place
  }

  #up(due: Due): void {
    while (due.place > 0) {
      const above = this.#heap[(due.place - 1) >> 1]
      if (above === undefined || above.atMs <= due.atMs) return
      this.#swap(due, above)
    }
  }

  #down(due: Due): void {
    for (;;) {
      const left = this.#heap[2 * due.place + 1]
      const right = this.#heap[2 * due.place + 2]
      const least = right !== undefined && left !== undefined && right.atMs < left.atMs ? right : left
      if (least === undefined || least.atMs >= due.atMs) return
      this.#swap(due, least)
    }
  }

  #swap(one: Due, other: Due): void {
    const place = one.place
    this.#put(one, other.place)
    this.#put(other, place)
  }
}

/** The one alarm of this process. */
export const alarm: Alarm = new Alarm()
