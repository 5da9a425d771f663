import { type Event, phase, type VirtualTime } from './time.ts'

/** What a timer needs of its process. */
export interface TimerHost {
  readonly time: VirtualTime
  readonly dead: boolean
  readonly stillUntilUs: number
  enter(): void
  /** How much later than a timer is due this process looks at its timers. */
  latenessUs(): number
}

/** What setTimeout and setInterval answer: as Node's, as far as the code here uses it. */
export class Timer {
  readonly #timers: Timers
  readonly #call: () => void
  readonly #ms: number
  readonly repeats: boolean
  #event: Event | undefined
  isRef = true

  constructor(timers: Timers, call: () => void, { ms, repeats }: { ms: number; repeats: boolean }) {
    this.#timers = timers
    this.#call = call
    // Read as in Node.
    this.#ms = ms >= 1 && ms < 2 ** 31 ? Math.trunc(ms) : 1
    this.repeats = repeats
    this.#set()
  }

  unref(): this {
    this.isRef = false
    return this
  }

  ref(): this {
    this.isRef = true
    return this
  }

  hasRef(): boolean {
    return this.isRef
  }

  clear(): void {
    if (this.#event !== undefined) this.#event.run = undefined
    this.#timers.active.delete(this)
  }

  /** Sets the timer. Node counts whole milliseconds of its loop's time, so that a timer may fire up to one millisecond early. */
  #set(): void {
    const { host } = this.#timers
    const dueUs = (Math.floor(host.time.nowUs / 1000) + this.#ms) * 1000
    this.#timers.active.add(this)
    this.#event = host.time.at(dueUs + host.latenessUs(), () => this.#fire(), {
      owner: host,
      phase: phase.timer,
    })
  }

  #fire(): void {
    this.#timers.active.delete(this)
    if (this.repeats) this.#set()
    this.#call()
  }
}

/** All timers of one process. */
export class Timers {
  readonly host: TimerHost
  readonly active: Set<Timer> = new Set()

  constructor(host: TimerHost) {
    this.host = host
  }

  set(call: () => void, ms: number, repeats = false): Timer {
    return new Timer(this, call, { ms, repeats })
  }
}
