import { storeError } from '../errors.ts'

/** A timer that is no later than this says nothing: every turn of the event loop takes some time. */
const usualMs = 10

/** When this process's event loop stood still, so that a reply which it could not read is not taken for a store that says nothing. */
class Pauses {
  #totalMs = 0
  #endedAt = Number.NEGATIVE_INFINITY

  /** For how long it stood still in all, as far as anybody has looked. */
  get totalMs(): number {
    return this.#totalMs
  }

  /** What was due at `dueAt` is done only now. */
  note(dueAt: number, now: number): void {
    // Several timers meet one pause.
    const lateMs = now - Math.max(dueAt, this.#endedAt)
    if (lateMs <= usualMs) return
    this.#totalMs += lateMs
    this.#endedAt = now
  }
}

/** Of this process: it has one event loop. */
const pauses: Pauses = new Pauses()

/** One that waits for a promise until its deadline. */
export interface Waiting {
  /** On the monotonic clock of `performance.now()`. */
  readonly expiresAt: number
  /** For how long this process had stood still when it was asked. */
  readonly pausedBeforeMs: number
  /** How often it was looked for past its deadline, and since when, without pauses. */
  looks: number
  lookedForSince: number
  done: boolean
  /** Answers its promise in its place. */
  expire: (() => void) | undefined
}

/** So many that are done may stay in the queue before it is cut. */
const longestTail = 1024
/** How often the event loop is looked at once a deadline is near. */
const lookEveryMs = 20
/** What stands still earlier than this before a deadline leaves a reply time enough. */
const nearMs = 70
/** So often at most a reply is looked for past its deadline: a process that is always late must not put it off for ever. */
const mostLooks = 8

/**
 * Bounds promises, all by the same time, with one timer. A timer also fires when this process is late, not the store: two turns
 * of the event loop pass before anything expires, so that replies already in the socket are read first; and for as long as this
 * process stood still a reply is looked for past its deadline, at most for the same time again.
 */
export class Deadlines {
  readonly #store: string
  readonly #ms: number
  readonly #queue: Waiting[] = []
  #head = 0
  #timer: NodeJS.Timeout | undefined
  #dueAt = 0

  constructor(store: string, ms: number) {
    this.#store = store
    this.#ms = ms
  }

  /** For what is to be asked and then bound: whoever is asked can see whether somebody still waits. */
  start(): Waiting {
    return {
      expiresAt: performance.now() + this.#ms,
      pausedBeforeMs: pauses.totalMs,
      looks: 0,
      lookedForSince: 0,
      done: false,
      expire: undefined,
    }
  }

  /** The promise's own outcome, or a StoreError at the deadline; `late` is told what it answers after that. */
  bound<T>(promise: Promise<T>, late?: (value: T) => void, waiting: Waiting = this.start()): Promise<T> {
    return new Promise((resolve, reject) => {
      waiting.expire = () => reject(storeError(this.#store, `no answer within ${this.#ms} ms`))
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
    if (this.#timer === undefined) this.#lookBefore(waiting.expiresAt, performance.now())
  }

  #lookBefore(expiresAt: number, now: number): void {
    const nextAt = Math.max(expiresAt - nearMs, now + lookEveryMs)
    // What is past its deadline is looked for again.
    this.#dueAt = expiresAt > now ? Math.min(expiresAt, nextAt) : now + lookEveryMs
    this.#timer = setTimeout(this.#due, this.#dueAt - now)
  }

  readonly #due = (): void => {
    this.#note()
    setImmediate(this.#turn)
  }

  readonly #turn = (): void => {
    this.#note()
    setImmediate(this.#expire)
  }

  #note(): number {
    const now = performance.now()
    pauses.note(this.#dueAt, now)
    this.#dueAt = now
    return now
  }

  readonly #expire = (): void => {
    const now = this.#note()
    let first: Waiting | undefined
    for (let i = this.#head; i < this.#queue.length; i++) {
      const waiting = this.#queue[i]
      if (waiting === undefined || waiting.done) continue
      const isPast = waiting.expiresAt <= now
      if (isPast && this.#isOver(waiting, now)) {
        waiting.done = true
        waiting.expire?.()
        continue
      }
      first ??= waiting
      if (!isPast) break
    }
    this.#next()
    this.#timer = undefined
    if (first !== undefined) this.#lookBefore(first.expiresAt, now)
  }

  /** Whether one that is past its deadline is to be looked for no longer. */
  #isOver(waiting: Waiting, now: number): boolean {
    const ranMs = now - pauses.totalMs
    if (waiting.looks++ === 0) waiting.lookedForSince = ranMs
    const graceMs = Math.min(pauses.totalMs - waiting.pausedBeforeMs, this.#ms)
    return ranMs - waiting.lookedForSince >= graceMs || waiting.looks > mostLooks
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
