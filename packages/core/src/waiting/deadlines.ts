import { lateError } from '../errors.ts'
import { type Linked, LinkedList } from '../linked-list.ts'
import { nextTurn } from '../runtime.ts'

/** A timer that is no later than this says nothing: every turn of the event loop takes some time. */
export const usualMs = 10

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
export class Waiting implements Linked<Waiting> {
  /** On the monotonic clock of `performance.now()`. */
  readonly expiresAt: number
  /** For how long this process had stood still when it was asked. */
  readonly pausedBeforeMs: number
  /** How often it was looked for past its deadline, and since when, without pauses. */
  looks = 0
  lookedForSince = 0
  done = false
  /** Answers its promise in its place. */
  expire: (() => void) | undefined = undefined
  /** Those that expire before and after it. */
  previous: Waiting | undefined = undefined
  next: Waiting | undefined = undefined

  constructor(expiresAt: number, pausedBeforeMs: number = pauses.totalMs) {
    this.expiresAt = expiresAt
    this.pausedBeforeMs = pausedBeforeMs
  }

  /** What is left of it, for what is asked next in its place. */
  rest(): Waiting {
    return new Waiting(this.expiresAt, this.pausedBeforeMs)
  }
}

/** Turns the outcome of a promise into an answer. */
export interface Hearing<T, Answer> {
  readonly heard: (value: T) => Answer
  /** Its own failure, or the deadline. */
  readonly failed: (error: unknown) => Answer
  /** What it answers after the deadline. */
  readonly late?: ((value: T) => void) | undefined
}

/** The outcome as it is. */
export function justHearing<T>(late: ((value: T) => void) | undefined): Hearing<T, T> {
  return { heard: itself, failed: thrown, late }
}

function itself<T>(value: T): T {
  return value
}

function thrown(error: unknown): never {
  throw error
}

/** Settles a promise by what a function makes of an outcome, or by what it throws. */
export function settle<T, Answer>(
  { resolve, reject }: { resolve(answer: Answer): void; reject(error: unknown): void },
  answer: (outcome: T) => Answer,
  outcome: T,
): void {
  try {
    resolve(answer(outcome))
  } catch (error) {
    reject(error)
  }
}

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
  /** In the order in which they expire. One that is done leaves at once: kept longer it would be costly garbage. */
  readonly #waiting = new LinkedList<Waiting>()
  #timer: NodeJS.Timeout | undefined
  #dueAt = 0
  #stopped = false

  constructor(store: string, ms: number) {
    this.#store = store
    this.#ms = ms
  }

  /** Begins a wait before the store is asked, so that the store can see whether its caller still waits; `bound` ends it. */
  start(): Waiting {
    return new Waiting(performance.now() + this.#ms)
  }

  /** The promise's own outcome, or a StoreError at the deadline; `late` gets what it answers after that. */
  bound<T>(promise: Promise<T>, late?: (value: T) => void, waiting: Waiting = this.start()): Promise<T> {
    return this.hear(promise, justHearing(late), waiting)
  }

  /** What is made of the promise's outcome, or of a StoreError at the deadline. */
  hear<T, Answer>(promise: Promise<T>, hearing: Hearing<T, Answer>, waiting: Waiting): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const ends = { resolve, reject }
      waiting.expire = () => settle(ends, hearing.failed, lateError(this.#store, this.#ms))
      this.#add(waiting)
      promise.then(
        (value) => {
          if (waiting.done) return hearing.late?.(value)
          this.#leave(waiting)
          settle(ends, hearing.heard, value)
        },
        (error: unknown) => {
          if (waiting.done) return
          this.#leave(waiting)
          settle(ends, hearing.failed, error)
        },
      )
    })
  }

  /** From now on no timer keeps the process once nothing waits. */
  stop(): void {
    this.#stopped = true
    this.#rest()
  }

  #rest(): void {
    if (this.#waiting.first !== undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #add(waiting: Waiting): void {
    let before = this.#waiting.last
    // What is left of a wait ends before those that have begun since.
    while (before !== undefined && before.expiresAt > waiting.expiresAt) before = before.previous
    this.#waiting.addBehind(before, waiting)
    if (this.#timer !== undefined && this.#dueAt <= waiting.expiresAt) return
    clearTimeout(this.#timer)
    this.#lookBefore(waiting.expiresAt, performance.now())
  }

  #leave(waiting: Waiting): void {
    this.#waiting.remove(waiting)
    waiting.done = true
    if (this.#stopped) this.#rest()
  }

  #lookBefore(expiresAt: number, now: number): void {
    const nextAt = Math.max(expiresAt - nearMs, now + lookEveryMs)
    // What is past its deadline is looked for again.
    this.#dueAt = expiresAt > now ? Math.min(expiresAt, nextAt) : now + lookEveryMs
    this.#timer = setTimeout(this.#due, this.#dueAt - now)
  }

  readonly #due = (): void => {
    this.#note()
    nextTurn(this.#turn)
  }

  readonly #turn = (): void => {
    this.#note()
    nextTurn(this.#expire)
  }

  #note(): number {
    const now = performance.now()
    pauses.note(this.#dueAt, now)
    this.#dueAt = now
    return now
  }

  readonly #expire = (): void => {
    const now = this.#note()
    let waiting = this.#waiting.first
    while (waiting !== undefined && waiting.expiresAt <= now) {
      const { next } = waiting
      if (this.#isOver(waiting, now)) {
        this.#leave(waiting)
        waiting.expire?.()
      }
      waiting = next
    }
    this.#timer = undefined
    const { first } = this.#waiting
    if (first !== undefined) this.#lookBefore(first.expiresAt, now)
  }

  /** Whether one that is past its deadline is to be looked for no longer. */
  #isOver(waiting: Waiting, now: number): boolean {
    const ranMs = now - pauses.totalMs
    if (waiting.looks++ === 0) waiting.lookedForSince = ranMs
    const graceMs = Math.min(pauses.totalMs - waiting.pausedBeforeMs, this.#ms)
    return ranMs - waiting.lookedForSince >= graceMs || waiting.looks > mostLooks
  }
}
