import { runMicrotasks } from './microtasks.ts'

/** The order of what is due at one instant in one process, as in Node: timers, then what has arrived, then immediates. */
export const phase = { timer: 0, arrival: 1, immediate: 2 } as const
type Phase = (typeof phase)[keyof typeof phase]

/** The most events of a history, many times as many as the longest one has. */
const mostEvents = 100_000

/** The process that an event belongs to: it may be dead, or stand still until an instant. */
interface Owner {
  readonly dead: boolean
  readonly stillUntilUs: number
  /** Makes what runs from now on run in this process. */
  enter(): void
}

export interface Event {
  atUs: number
  readonly phase: Phase
  readonly nth: number
  readonly owner: Owner | undefined
  run: (() => void) | undefined
}

/** Virtual time: all events are in one heap, and nothing happens between two of them. */
export class VirtualTime {
  nowUs = 0
  /** The process whose event is played; undefined: the event is the server's, or one of the plan. */
  owner: Owner | undefined
  /** The callbacks that process.nextTick was given. */
  readonly ticks: (() => void)[] = []
  readonly #heap: Event[] = []
  #nth = 0
  events = 0

  /** Adds an event at an instant, or at once where that is past. */
  at(atUs: number, run: () => void, { owner, phase: part = phase.arrival }: About = {}): Event {
    const event = { atUs: Math.max(atUs, this.nowUs), phase: part, nth: this.#nth++, owner, run }
    this.#push(event)
    return event
  }

  after(us: number, run: () => void, about?: About): Event {
    return this.at(this.nowUs + us, run, about)
  }

  /** Plays until an instant. */
  runUntil(endUs: number): void {
    for (let first = this.#heap[0]; first !== undefined && first.atUs <= endUs; first = this.#heap[0]) {
      this.#pop()
      if (first.run === undefined || first.owner?.dead === true) continue
      const until = first.owner?.stillUntilUs ?? 0
      if (until > first.atUs) {
        first.atUs = until
        this.#push(first)
        continue
      }
      this.nowUs = first.atUs
      if (++this.events > mostEvents) throw new Error('the history does not end')
      const { run } = first
      first.run = undefined
      this.enter(first.owner)
      run()
      // After an event of the server or of the plan, nothing follows at once.
      if (this.owner !== undefined) this.settle()
    }
    this.nowUs = Math.max(this.nowUs, endUs)
  }

  enter(owner: Owner | undefined): void {
    this.owner = owner
    owner?.enter()
  }

  /** Runs all that follows at once from what has just been done. */
  settle(): void {
    const { ticks } = this
    do {
      for (let tick = ticks.shift(); tick !== undefined; tick = ticks.shift()) tick()
      runMicrotasks()
    } while (ticks.length > 0)
  }

  /** The events that are still to come, without those of dead processes. */
  *pending(): Generator<Event> {
    for (const event of this.#heap) if (event.run !== undefined && event.owner?.dead !== true) yield event
  }

  #push(event: Event): void {
    const heap = this.#heap
    let place = heap.length
    while (place > 0) {
      const above = (place - 1) >> 1
      const other = heap[above]
      if (other === undefined || isBefore(other, event)) break
      heap[place] = other
      place = above
    }
    heap[place] = event
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let place = 0
    for (;;) {
      let below = 2 * place + 1
      const [left, right] = [heap[below], heap[below + 1]]
      if (left === undefined) break
      let least = left
      if (right !== undefined && isBefore(right, left)) {
        least = right
        below++
      }
      if (isBefore(last, least)) break
      heap[place] = least
      place = below
    }
    heap[place] = last
  }
}

interface About {
  readonly owner?: Owner | undefined
  readonly phase?: Phase | undefined
}

function isBefore(one: Event, other: Event): boolean {
  if (one.atUs !== other.atUs) return one.atUs < other.atUs
  return one.phase === other.phase ? one.nth < other.nth : one.phase < other.phase
}
