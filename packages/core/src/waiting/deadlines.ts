import { lateError } from '../errors.ts'
import { type Linked, LinkedList } from '../linked-list.ts'
import { nextTurn } from '../runtime.ts'

/** A timer that is this late at most is no sign of a pause: every turn of the event loop takes some time. */
export const usualMs = 10

/** Notes when this process's event loop stood still: a reply that could not be read meanwhile does not mean that the store is silent. */
class Pauses {
  #totalMs = 0
  #endedAt = Number.NEGATIVE_INFINITY

  /** For how long the event loop stood still in all, as far as it has been noted. */
  get totalMs(): number {
    return this.#totalMs
  }

  /** Notes that what was due at `dueAt` is done only now. */
  note(dueAt: number, now: number): void {
    // Several timers may meet one pause: it counts once.
    const lateMs = now - Math.max(dueAt, this.#endedAt)
    if (lateMs <= usualMs) return
    this.#totalMs += lateMs
    this.#endedAt = now
  }
}

/** One for this process, as it has one event loop. */
const pauses: Pauses = /* @__PURE__ */ new Pauses()

/** A time of `performance.now()` without all pauses that were noted: how far this process has run. */
export function ranMs(nowMs: number = performance.now()): number {
  return nowMs - pauses.totalMs
}

/** A wait that ends at its deadline at the latest. */
export class Waiting implements Linked<Waiting> {
  /** On the monotonic clock of `performance.now()`. */
  declare expiresAt: number
  /** For how long this process had stood still in all when the wait began. */
  declare pausedBeforeMs: number
  /** How often the reply was looked for past the deadline, and since when, by a time from which pauses are left out. */
  declare looks: number
  declare lookedForSince: number
  declare done: boolean
  /** The waits that expire before and after this one. */
  declare previous: Waiting | undefined
  declare next: Waiting | undefined
  /** Set if the wait has a timer of its own. */
  declare timer: NodeJS.Timeout | undefined

  constructor(expiresAt: number, pausedBeforeMs: number = pauses.totalMs) {
    this.expiresAt = expiresAt
    this.pausedBeforeMs = pausedBeforeMs
    this.looks = 0
    this.lookedForSince = 0
    this.done = false
    this.previous = undefined
    this.next = undefined
    this.timer = undefined
  }

  /** Begins the wait anew; called before it is added to any deadlines. */
  begin(expiresAt: number): void {
    this.expiresAt = expiresAt
    this.pausedBeforeMs = pauses.totalMs
  }

  /** Called when the deadline has passed; `done` is true by then. */
  expired(_error: Error): void {}
}

class WaitingForPromise extends Waiting {
  readonly #reject: (error: unknown) => void

  constructor(expiresAt: number, reject: (error: unknown) => void) {
    super(expiresAt)
    this.#reject = reject
  }

  override expired(error: Error): void {
    this.#reject(error)
  }
}

/** The answer's own outcome, or a StoreError at the deadline; `late` gets what comes after that. */
export function boundBy<T>(
  deadlines: Pick<Deadlines, 'expiresAt' | 'add' | 'leave'>,
  answer: T | Promise<T>,
  late?: (value: T) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const waiting = new WaitingForPromise(deadlines.expiresAt(), reject)
    deadlines.add(waiting)
    const fulfilled = (value: T) => {
      if (waiting.done) return late?.(value)
      deadlines.leave(waiting)
      resolve(value)
    }
    const rejected = (error: unknown) => {
      if (waiting.done) return
      deadlines.leave(waiting)
      reject(error)
    }
    Promise.resolve(answer).then(fulfilled, rejected)
  })
}

/** How often the event loop is looked at once a deadline is near. */
const lookEveryMs = 20
/** A pause more than this before a deadline leaves a reply time enough, and need not be noted. */
const nearMs = 70
/** How often at most a reply is looked for past its deadline: a process that is always late must not put off the error for ever. */
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

  /** The answer's own outcome, or a StoreError at the deadline; `late` gets what comes after that. */
  bound<T>(answer: T | Promise<T>, late?: (value: T) => void): Promise<T> {
    return boundBy(this, answer, late)
  }

  /** From now on no timer keeps the process alive once nothing waits. */
  stop(): void {
    this.#stopped = true
    this.#rest()
  }

  #rest(): void {
    if (this.#waiting.first !== undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Begins a wait, which expires unless it leaves before. The timer keeps the process for as long as something waits. */
  add(waiting: Waiting): void {
    let before = this.#waiting.last
    // The rest of a wait that began earlier may expire before waits that are in the list already.
    while (before !== undefined && before.expiresAt > waiting.expiresAt) before = before.previous
    this.#waiting.addBehind(before, waiting)
    this.#timer?.ref?.()
    if (this.#timer !== undefined && this.#dueAt <= waiting.expiresAt) return
    clearTimeout(this.#timer)
    this.#lookBefore(waiting.expiresAt, performance.now())
  }

  /** Ends a wait: it has what it waited for, or has expired. */
  leave(waiting: Waiting): void {
    this.#waiting.remove(waiting)
    waiting.done = true
    if (this.#stopped) this.#rest()
    else if (this.#waiting.first === undefined) this.#timer?.unref?.()
  }

  #lookBefore(expiresAt: number, now: number): void {
    const nextAt = Math.max(expiresAt - nearMs, now + lookEveryMs)
    // A reply that is past its deadline is looked for again.
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

  /** Whether the reply of a wait past its deadline is to be looked for no longer. */
  #isOver(waiting: Waiting, now: number): boolean {
    const ran = ranMs(now)
    const pausedMs = pauses.totalMs - waiting.pausedBeforeMs
    // A request that asks again after its deadline counts as looked for since that deadline.
    if (waiting.looks++ === 0) waiting.lookedForSince = ran - Math.max(0, now - waiting.expiresAt - pausedMs)
    const graceMs = Math.min(pausedMs, this.#ms)
    return ran - waiting.lookedForSince >= graceMs || waiting.looks > mostLooks
  }
}
