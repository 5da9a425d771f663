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
const pauses: Pauses = /* @__PURE__ */ new Pauses()

/** One that waits until its deadline. */
export class Waiting implements Linked<Waiting> {
  /** On the monotonic clock of `performance.now()`. */
  expiresAt: number
  /** For how long this process had stood still when it was asked. */
  pausedBeforeMs: number
  /** How often it was looked for past its deadline, and since when, without pauses. */
  looks = 0
  lookedForSince = 0
  done = false
  /** Those that expire before and after it. */
  previous: Waiting | undefined = undefined
  next: Waiting | undefined = undefined
  /** Where it has a timer of its own. */
  timer: NodeJS.Timeout | undefined = undefined

  constructor(expiresAt: number, pausedBeforeMs: number = pauses.totalMs) {
    this.expiresAt = expiresAt
    this.pausedBeforeMs = pausedBeforeMs
  }

  /** Begins it anew, before it is added to any deadlines. */
  begin(expiresAt: number): void {
    this.expiresAt = expiresAt
    this.pausedBeforeMs = pauses.totalMs
  }

  /** The deadline has passed, and it is done. */
  expired(_error: Error): void {}
}

/** One that waits for a promise. */
class WaitingForPromise<T> extends Waiting {
  readonly #late: ((value: T) => void) | undefined
  readonly #ends: Ends<T>
  readonly #deadlines: Pick<Deadlines, 'leave'>

  constructor(
    expiresAt: number,
    about: { late: ((value: T) => void) | undefined; ends: Ends<T>; deadlines: Pick<Deadlines, 'leave'> },
  ) {
    super(expiresAt)
    this.#late = about.late
    this.#ends = about.ends
    this.#deadlines = about.deadlines
  }

  readonly fulfilled = (value: T): void => {
    if (this.done) {
      this.#late?.(value)
      return
    }
    this.#deadlines.leave(this)
    this.#ends.resolve(value)
  }

  readonly rejected = (error: unknown): void => {
    if (this.done) return
    this.#deadlines.leave(this)
    this.#ends.reject(error)
  }

  override expired(error: Error): void {
    this.#ends.reject(error)
  }
}

interface Ends<T> {
  resolve(value: T): void
  reject(error: unknown): void
}

/** The promise's own outcome, or a StoreError at the deadline; `late` gets what it answers after that. */
export function boundBy<T>(
  deadlines: Pick<Deadlines, 'expiresAt' | 'add' | 'leave'>,
  promise: Promise<T>,
  late?: (value: T) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const about = { late, ends: { resolve, reject }, deadlines }
    const waiting = new WaitingForPromise(deadlines.expiresAt(), about)
    deadlines.add(waiting)
    promise.then(waiting.fulfilled, waiting.rejected)
  })
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

  /** The deadline of what begins to wait now. */
  expiresAt(nowMs: number = performance.now()): number {
    return nowMs + this.#ms
  }

  /** The promise's own outcome, or a StoreError at the deadline; `late` gets what it answers after that. */
  bound<T>(promise: Promise<T>, late?: (value: T) => void): Promise<T> {
    return boundBy(this, promise, late)
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

  /** It waits from now on, and expires unless it leaves. */
  add(waiting: Waiting): void {
    let before = this.#waiting.last
    // What is left of a wait ends before those that have begun since.
    while (before !== undefined && before.expiresAt > waiting.expiresAt) before = before.previous
    this.#waiting.addBehind(before, waiting)
    if (this.#timer !== undefined && this.#dueAt <= waiting.expiresAt) return
    clearTimeout(this.#timer)
    this.#lookBefore(waiting.expiresAt, performance.now())
  }

  /** It has what it waited for. */
  leave(waiting: Waiting): void {
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
        this.leave(waiting)
        waiting.expired(lateError(this.#store, this.#ms))
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
    const pausedMs = pauses.totalMs - waiting.pausedBeforeMs
    // A request that asks again after its deadline has been looked for since then.
    if (waiting.looks++ === 0)
      waiting.lookedForSince = ranMs - Math.max(0, now - waiting.expiresAt - pausedMs)
    const graceMs = Math.min(pausedMs, this.#ms)
    return ranMs - waiting.lookedForSince >= graceMs || waiting.looks > mostLooks
  }
}
