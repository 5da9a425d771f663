import { type Agenda, type Clock, monotonicClock, runningTime, type Timeline } from '../clock.ts'
import { requestsApart, unref } from '../runtime.ts'
import { isRealTimer, warnOfFakeDate, warnOfFakeTimers } from './half-fakes.ts'

/** Something that is due at an instant of its alarm's timeline. */
export interface Due {
  readonly atMs: number
  /** Where in the heap it lies; kept by the alarm. */
  place: number
  ring(): void
}

/** The least time from one timer to the next: a crowd that is due a millisecond apart rings in groups, with one timer for each group. */
const leastPauseMs = 2
/** A longer sleep is cut to this, and its rest slept again: a timer of 2^31 ms or more fires at once. */
const longestSleepMs = 2 ** 30
/** No real timer fires so much too early. */
const muchTooEarlyMs = 10

/**
 * All that is due on one timeline, in one heap under one timer: ten thousand timers would cost twice as much. A timer may fire up to
 * a millisecond early; nothing here rings early. Unless it is quiet, it keeps the process alive while anything is due.
 */
export class Alarm implements Agenda {
  readonly #time: Timeline
  readonly #quiet: boolean
  readonly #heap: Due[] = []
  #timerAtMs = Number.POSITIVE_INFINITY
  #firesAtMs = 0
  #setBy: typeof setTimeout = setTimeout
  #stopTimer = ignore

  constructor(time: Timeline, { quiet = false }: { quiet?: boolean } = {}) {
    this.#time = time
    this.#quiet = quiet
  }

  nowMs(): number {
    return this.#time.nowUs() / 1000
  }

  get firstMs(): number {
    return this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY
  }

  set(due: Due): void {
    this.#put(due, this.#heap.length)
    this.#up(due)
    this.#time.agendas.add(this)
    if (requestsApart) this.#armFor(due)
    else this.#arm()
  }

  /** Does nothing if `due` has rung, or was never set. */
  callOff(due: Due): void {
    if (this.#heap[due.place] !== due) return
    const last = this.#heap.pop()
    if (last !== undefined && last !== due) {
      this.#put(last, due.place)
      this.#down(last)
      this.#up(last)
    }
    if (this.#heap.length > 0) return
    this.#time.agendas.delete(this)
    this.#disarm()
  }

  turned(): void {
    this.#disarm()
    this.#arm()
  }

  look(): void {
    for (let first = this.#heap[0]; first !== undefined; first = this.#heap[0]) {
      if (first.atMs > this.nowMs()) break
      this.callOff(first)
      first.ring()
    }
  }

  #arm(leastMs = 0): void {
    const first = this.#heap[0]
    if (first === undefined || this.#time.frozen !== undefined) return
    // A timer that was set by fake timers never fires once these have ended.
    if (first.atMs >= this.#timerAtMs && this.#setBy === setTimeout) return
    this.#disarm()
    if (!this.#quiet) warnOfFakeDate()
    const restMs = Math.max(leastMs, Math.ceil(first.atMs - this.nowMs()))
    const sleepMs = Math.min(restMs, longestSleepMs)
    const timer = setTimeout(() => this.#fired(), sleepMs)
    this.#firesAtMs = this.nowMs() + sleepMs
    if (this.#quiet) unref(timer)
    const clear = clearTimeout
    this.#stopTimer = () => clear(timer)
    this.#setBy = setTimeout
    this.#timerAtMs = first.atMs
  }

  /** Sets a timer for this one alone: a timer that another request has set would end with that request. */
  #armFor(due: Due): void {
    const restMs = Math.ceil(due.atMs - this.nowMs())
    const wake = () => {
      if (this.#heap[due.place] !== due) return
      if (due.atMs > this.nowMs()) return this.#armFor(due)
      this.callOff(due)
      due.ring()
    }
    setTimeout(wake, Math.min(Math.max(0, restMs), longestSleepMs))
  }

  #disarm(): void {
    // For a timer of fake timers that have ended, node:test would clear another timer.
    if (this.#setBy === setTimeout || isRealTimer(this.#setBy)) this.#stopTimer()
    this.#timerAtMs = Number.POSITIVE_INFINITY
  }

  #fired(): void {
    this.#stopTimer = ignore
    if (this.nowMs() < this.#firesAtMs - muchTooEarlyMs) warnOfFakeTimers()
    this.#timerAtMs = Number.POSITIVE_INFINITY
    this.look()
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

function ignore(): void {}

/** For callers that wait in the time of a memory store. */
export const alarm: Alarm = /* @__PURE__ */ new Alarm(monotonicClock)

/** The same, for waits that keep no process alive. */
const quietAlarm: Alarm = /* @__PURE__ */ new Alarm(monotonicClock, { quiet: true })

/** For callers that wait in the time of a server. */
export const runningAlarm: Alarm = /* @__PURE__ */ new Alarm(runningTime)

/** Calls `wake` after `ms`, by the clock's own sleep; the returned function calls that off. */
export function wakeByClock(clock: Clock, ms: number, wake: () => void): () => void {
  const called = new AbortController()
  clock.sleep?.(ms, called.signal).then(wake, () => {})
  return () => called.abort()
}

/**
 * Calls `wake` after `ms`, by the clock's own sleep or a timer that keeps no process alive; earlier if `ms` is longer than a timer can
 * be. The returned function calls that off.
 */
export function wakeQuietly(clock: Clock, ms: number, wake: () => void): () => void {
  if (clock.sleep !== undefined) return wakeByClock(clock, ms, wake)
  if (clock === monotonicClock) {
    const due = { atMs: quietAlarm.nowMs() + ms, place: -1, ring: wake }
    quietAlarm.set(due)
    return () => quietAlarm.callOff(due)
  }
  const timer = unref(setTimeout(wake, Math.min(ms, longestSleepMs)))
  return () => clearTimeout(timer)
}
