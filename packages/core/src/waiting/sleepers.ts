import { type Clock, monotonicClock } from '../clock.ts'
import type { Warning } from '../store.ts'
import { type Alarm, alarm, type Due, runningAlarm, wakeByClock } from './alarm.ts'
import type { Ends, Wait } from './wait.ts'

/** What a caller has reserved, and how many had reserved before it. */
export interface Turn {
  readonly turn: number
  readonly decision: { refund(): Promise<void> }
}

/** A limiter, whose callers sleep. */
export interface SleepersOwner {
  /** The most callers that sleep at once. */
  readonly maxSleepers: number
  readonly store: { readonly clock?: Clock | undefined }
  /** undefined until a caller may have to sleep. */
  sleepers: Sleepers | undefined
  /** Why no caller can sleep any more. */
  readonly closedBy: Error | undefined
  warned(warning: Warning): void
}

export function sleepersOf(owner: SleepersOwner): Sleepers {
  owner.sleepers ??= new Sleepers(owner.maxSleepers, owner.store.clock)
  return owner.sleepers
}

/** Throws if a caller cannot begin or go on to wait: the limiter is closed, or the caller's signal is aborted. */
export function mustGoOn({ closedBy }: SleepersOwner, { signal }: Pick<Wait, 'signal'>): void {
  if (closedBy !== undefined) throw closedBy
  signal?.throwIfAborted()
}

/** Warns that a caller was refused that could have waited, had there been a place among the sleepers. */
export function warnOfTooMany(owner: SleepersOwner): void {
  owner.warned({
    code: 'SLUICE_MAX_SLEEPERS',
    message: 'maxSleepers callers wait: others are refused; raise maxSleepers or shorten maxWait',
  })
}

/** One sleep: ends once, by its time or by an error. An object of few fields, as there may be thousands. */
export abstract class Sleep<Outcome = never> implements Due, Abortable {
  atMs = 0
  place = -1
  protected readonly sleepers: Sleepers
  protected readonly resolve: (outcome: Outcome) => void
  protected readonly reject: (error: unknown) => void
  readonly #signal: AbortSignal | undefined
  /** Calls off a sleep by a clock that has a `sleep` of its own. */
  #callOff: (() => void) | undefined = undefined

  constructor(sleepers: Sleepers, signal: AbortSignal | undefined, { resolve, reject }: Ends<Outcome>) {
    this.sleepers = sleepers
    this.resolve = resolve
    this.reject = reject
    this.#signal = signal
  }

  abstract woken(): void
  abstract failed(error: unknown): void

  /** Called by `Sleepers` alone. */
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

  abort(reason: unknown): void {
    if (this.end()) this.failed(reason)
  }

  /** Ends the sleep; false: it had ended before. */
  protected end(): boolean {
    this.sleepers.alarm.callOff(this)
    if (this.#signal !== undefined) listening.get(this.#signal)?.delete(this)
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
  readonly #givenUp: Turn[] = []
  /** How many callers have reserved. */
  turns = 0
  /** Places taken: by callers that sleep, and by those that are asking the store how long to sleep. */
  count = 0

  /** `clock`: the clock by which callers sleep, if it is not the real one. */
  constructor(most: number, clock: Clock | undefined) {
    this.#most = most
    this.#clock = clock
    this.alarm = clock === monotonicClock ? alarm : runningAlarm
  }

  /** Takes a place, before the store is asked how long to sleep; false: there is none left. */
  enter(): boolean {
    if (this.count >= this.#most) return false
    this.count++
    return true
  }

  leave(): void {
    this.count--
  }

  /** Begins a sleep of at least `ms`. */
  put(sleep: Sleep, ms: number): void {
    this.#sleeping.add(sleep)
    sleep.begin(ms, this.#clock)
  }

  /** Whether the sleep had begun here and not ended. */
  forget(sleep: Sleep): boolean {
    return this.#sleeping.delete(sleep)
  }

  /**
   * Gives a caller's turn back. If several callers give up at once, in whichever order, the last turn is given back first: a store takes
   * back only what no later reservation builds upon. Nothing waits for that.
   */
  giveUp(turn: Turn): void {
    this.leave()
    if (this.#givenUp.push(turn) === 1) queueMicrotask(() => this.#giveBack())
  }

  #giveBack(): void {
    const turns = this.#givenUp.splice(0).sort((one, other) => other.turn - one.turn)
    for (const { decision } of turns) void decision.refund()
  }

  /** Wakes all sleepers with the error. */
  close(error: Error): void {
    for (const sleep of [...this.#sleeping]) sleep.abort(error)
    this.#giveBack()
  }
}

/** A sleep as a promise. Rejects with the signal's reason, or with the error of `close`. */
export function sleepAmong(sleepers: Sleepers, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    sleepers.put(new Awaited(sleepers, signal, { resolve, reject }), ms)
  })
}

class Awaited extends Sleep<void> {
  woken(): void {
    this.resolve()
  }

  failed(error: unknown): void {
    this.reject(error)
  }
}

/** What ends with a signal. */
interface Abortable {
  abort(reason: unknown): void
}

const listening = new WeakMap<AbortSignal, Set<Abortable>>()

/**
 * Gives a signal one listener, however many callers wait for it: more than ten listeners would print a warning. Returns those who hear it,
 * of which a caller takes itself out.
 */
export function hear(signal: AbortSignal, listener: Abortable): Set<Abortable> {
  const known = listening.get(signal)
  if (known !== undefined) return known.add(listener)
  const all = new Set([listener])
  listening.set(signal, all)
  const abortAll = () => {
    for (const each of [...all]) each.abort(signal.reason)
  }
  signal.addEventListener('abort', abortAll, { once: true })
  return all
}
