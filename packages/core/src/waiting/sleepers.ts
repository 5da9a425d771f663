import { type Clock, monotonicClock } from '../clock.ts'
import { type Abortable, hear, ignore } from './abort.ts'
import { type Alarm, alarm, type Due, runningAlarm } from './alarm.ts'
import { wakeByClock } from './timer.ts'
import type { Wait } from './wait.ts'

/** What a caller that sleeps has reserved. */
interface Held {
  refund(): Promise<void>
}

/** A limiter, whose callers sleep. */
export interface SleepersOwner {
  /** The most at once. */
  readonly maxSleepers: number
  readonly store: { readonly clock?: Clock | undefined }
  /** From its first sleeper on. */
  sleepers: Sleepers | undefined
  /** Why no caller can sleep any more. */
  readonly closedBy: Error | undefined
  warned(code: string, message: string): void
}

export function sleepersOf(owner: SleepersOwner): Sleepers {
  owner.sleepers ??= new Sleepers(owner.maxSleepers, owner.store.clock)
  return owner.sleepers
}

/** Throws why a caller cannot wait, or not any more. */
export function mustGoOn({ closedBy }: SleepersOwner, { signal }: Pick<Wait, 'signal'>): void {
  if (closedBy !== undefined) throw closedBy
  signal?.throwIfAborted()
}

/** A caller was refused that might have waited, had there been a place. */
export function warnOfTooMany(owner: SleepersOwner): void {
  owner.warned(
    'SLUICE_MAX_SLEEPERS',
    'maxSleepers callers wait: others are refused; raise maxSleepers or shorten maxWait',
  )
}

/** One sleep: ends once, by its time or by an error. An object of few fields, as there may be thousands. */
export abstract class Sleep implements Due, Abortable {
  atMs = 0
  place = -1
  protected readonly sleepers: Sleepers
  readonly #signal: AbortSignal | undefined
  /** Ends a sleep by a clock that is not the real one. */
  #callOff: (() => void) | undefined = undefined

  constructor(sleepers: Sleepers, signal: AbortSignal | undefined) {
    this.sleepers = sleepers
    this.#signal = signal
  }

  abstract woken(): void
  abstract failed(error: unknown): void

  /** To be called by its sleepers alone. */
  begin(ms: number, clock: Clock | undefined): void {
    if (this.#signal !== undefined) hear(this.#signal, this)
    if (clock?.sleep !== undefined) {
      this.#callOff = wakeByClock(clock, ms, () => this.ring())
      return
    }
    const { alarm } = this.sleepers
    this.atMs = alarm.nowMs() + ms
    alarm.set(this)
  }

  ring(): void {
    if (this.end()) this.woken()
  }

  aborted(reason: unknown): void {
    if (this.end()) this.failed(reason)
  }

  /** false: it has ended before. */
  protected end(): boolean {
    this.sleepers.alarm.callOff(this)
    if (this.#signal !== undefined) ignore(this.#signal, this)
    const sleeps = this.sleepers.forget(this)
    if (sleeps) this.#callOff?.()
    return sleeps
  }
}

/** Callers that sleep until it is their turn: a bounded number, and an error can wake all of them. */
export class Sleepers {
  /** Wakes them where their clock has no sleep of its own. */
  readonly alarm: Alarm
  readonly #most: number
  readonly #clock: Clock | undefined
  readonly #sleeping = new Set<Sleep>()
  /** What those hold who have just given up, in the order in which they came. */
  readonly #givenUp: Held[] = []
  #places = 0

  /** `clock`: whose time passes while they sleep, where it is not the real one. */
  constructor(most: number, clock: Clock | undefined) {
    this.#most = most
    this.#clock = clock
    this.alarm = clock === monotonicClock ? alarm : runningAlarm
  }

  /** Places taken: by callers that sleep, and by those that ask how long to. */
  get count(): number {
    return this.#places
  }

  /** A place, taken before the store is asked how long to sleep; false: there is none left. */
  enter(): boolean {
    if (this.#places >= this.#most) return false
    this.#places++
    return true
  }

  leave(): void {
    this.#places--
  }

  /** Begins a sleep of at least `ms`. */
  put(sleep: Sleep, ms: number): void {
    this.#sleeping.add(sleep)
    sleep.begin(ms, this.#clock)
  }

  /** true where it slept here. */
  forget(sleep: Sleep): boolean {
    return this.#sleeping.delete(sleep)
  }

  /**
   * Gives back what a caller held, and the newest first where several give up at once: a store takes back only what nobody has built
   * upon. Nothing waits for that.
   */
  giveUp(held: Held): void {
    this.leave()
    if (this.#givenUp.push(held) === 1) queueMicrotask(() => this.#giveBack())
  }

  #giveBack(): void {
    for (const held of this.#givenUp.reverse()) void held.refund()
    this.#givenUp.length = 0
  }

  /** Wakes all sleepers with the error. */
  close(error: Error): void {
    for (const sleep of [...this.#sleeping]) sleep.aborted(error)
    this.#giveBack()
  }
}

/** A sleep as a promise. Rejects with the signal's reason, or when all are woken. */
export function sleepAmong(sleepers: Sleepers, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    sleepers.put(new Awaited(sleepers, { signal, resolve, reject }), ms)
  })
}

class Awaited extends Sleep {
  readonly #resolve: () => void
  readonly #reject: (error: unknown) => void

  constructor(
    sleepers: Sleepers,
    about: { signal: AbortSignal | undefined; resolve: () => void; reject: (error: unknown) => void },
  ) {
    super(sleepers, about.signal)
    this.#resolve = about.resolve
    this.#reject = about.reject
  }

  woken(): void {
    this.#resolve()
  }

  failed(error: unknown): void {
    this.#reject(error)
  }
}
