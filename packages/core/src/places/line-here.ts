import type { Clock } from '../clock.ts'
import { isBlock, makeRow } from '../row.ts'
import type { Check, InLine, LinePlace } from '../store.ts'
import { claimUs } from '../strategies/line.ts'
import { leaseUs } from '../strategies/policy-parts.ts'

/** A line asks again after this, doubled each time up to the longest: other processes do not say when they give a place back. */
const shortestUs = 20_000
const longestUs = 250_000
/** Of a line only the first ones ask each time. */
const mostServed = 16
/** The store knows as many callers of a process as there are places, so that no place is free for others: at most this many. */
const mostKnown = 1000

/** One who waits here. */
export interface Waiter {
  /** It holds its place, or is refused. */
  answered(place: LinePlace): void
}

/** A caller that has come, and may have to wait. */
export interface Arrival {
  /** Nobody of this process comes before it: it asks by a check of its own, and the others let it. */
  readonly isFirst: boolean
  /** What its last answer says, or that of another caller in the line. */
  readonly place: LinePlace
  /** From now on it waits; `refusal`: what its own check was answered. */
  wait(waiter: Waiter, refusal?: LinePlace): void
  /** Gives its turn up, and its place if it has just got one; without effect once the waiter has been answered. */
  leave(): void
}

/** A caller that has come. */
interface Comer {
  readonly check: Check
  readonly priority: number
  readonly id: string
}

export class CallerInLine implements InLine, Arrival {
  readonly check: Check
  readonly id: string
  readonly priority: number
  readonly isFirst: boolean
  /** undefined: it asks by a check of its own. */
  waiter: Waiter | undefined
  readonly #sinceUs: number
  readonly #clock: Clock
  /** Before it has asked the store knows nothing of it. */
  askedUs: number = Number.NEGATIVE_INFINITY
  leaves = false
  stands = false
  said: LinePlace | undefined
  readonly #line: Line

  constructor({ check, priority, id }: Comer, about: { line: Line; isFirst: boolean; clock: Clock }) {
    this.check = check
    this.id = id
    this.priority = priority
    this.isFirst = about.isFirst
    this.#line = about.line
    this.#clock = about.clock
    this.#sinceUs = this.#clock.nowUs()
  }

  /** When it is asked for: a call may be held back before it leaves. */
  get waitedUs(): number {
    return this.#clock.nowUs() - this.#sinceUs
  }

  get isKnown(): boolean {
    return this.askedUs !== Number.NEGATIVE_INFINITY
  }

  get place(): LinePlace {
    return this.said ?? this.#line.refusal
  }

  wait(waiter: Waiter, refusal?: LinePlace): void {
    this.waiter = waiter
    this.said = refusal
    this.#line.goOn()
  }

  leave(): void {
    this.#line.leave(this)
  }
}

/** Those of this process that wait for one key. */
export class Line {
  readonly name: string
  /** In the order of their turns. */
  readonly #waiting: CallerInLine[] = []
  /** The store has not heard yet that they have left. */
  #leaving: CallerInLine[] = []
  readonly #clock: Clock
  readonly #wanted: (line: Line) => void
  /** Who has not asked for so long asks again, to keep its turn. */
  readonly #renewUs: number
  /** Units that the store is to know of. */
  readonly #enough: number
  /** Of those who wait, and their units. */
  #known = 0
  #knownUnits = 0
  /** What was last said to somebody who waits on. */
  refusal: LinePlace
  /** They ask now. */
  asks = false
  #pauseUs = shortestUs
  dueUs = 0

  constructor(name: string, check: Check, { clock, wanted }: { clock: Clock; wanted: (line: Line) => void }) {
    this.name = name
    this.#renewUs = Math.min(claimUs, leaseUs(check)) / 3
    this.#enough = Math.max(mostServed, Math.min(check.policy.limit, mostKnown))
    this.#clock = clock
    this.#wanted = wanted
    const nothing = {
      limit: check.policy.limit,
      remaining: 0,
      retryAfterUs: longestAdviceUs,
      resetAfterUs: leaseUs(check),
    }
    this.refusal = { row: makeRow(nothing, 'limited', ''), waits: true }
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#leaving.length === 0
  }

  add(comer: Comer): CallerInLine {
    const isFirst = this.#waiting.length === 0
    const caller = new CallerInLine(comer, { line: this, isFirst, clock: this.#clock })
    let at = this.#waiting.length
    while (at > 0 && (this.#waiting[at - 1]?.priority ?? 0) < caller.priority) at--
    this.#waiting.splice(at, 0, caller)
    return caller
  }

  goOn(): void {
    this.#wanted(this)
  }

  leave(caller: CallerInLine): void {
    if (!this.#remove(caller)) return
    caller.leaves = true
    if (caller.isKnown) this.#leaving.push(caller)
    this.#wanted(this)
  }

  #remove(caller: CallerInLine): boolean {
    const at = this.#waiting.indexOf(caller)
    if (at === -1) return false
    this.#waiting.splice(at, 1)
    if (caller.isKnown) this.#count(caller, -1)
    return true
  }

  #count({ check }: CallerInLine, by: 1 | -1): void {
    this.#known += by
    this.#knownUnits += by * check.cost
  }

  /** What is half due goes along with others. */
  isDue(nowUs: number): boolean {
    return this.dueUs - nowUs <= this.#pauseUs / 2
  }

  /**
   * Who asks now: those who leave, whose places others may get in the same call, those who may be served, and those of whom the store
   * must hear, or is to know. Nobody passes one that asks by a check of its own.
   */
  asking(nowUs: number): readonly CallerInLine[] {
    const all = this.#leaving
    this.#leaving = []
    let knownSeen = 0
    for (let nth = 0; nth < this.#waiting.length; nth++) {
      const caller = this.#waiting[nth]
      if (caller?.waiter === undefined) break
      const wanted = this.#knownUnits < 2 * this.#enough
      if (nth >= mostServed && !wanted && knownSeen === this.#known) break
      if (caller.isKnown) knownSeen++
      caller.stands = nth >= mostServed
      if (caller.stands && (caller.isKnown ? nowUs - caller.askedUs < this.#renewUs : !wanted)) continue
      if (!caller.isKnown) {
        this.#count(caller, 1)
        knownSeen++
      }
      caller.askedUs = nowUs
      all.push(caller)
    }
    return all
  }

  /** Whether the next ones are to ask at once, as others were served. */
  heard(asked: readonly CallerInLine[], places: readonly LinePlace[]): boolean {
    let served = 0
    let asking = 0
    for (const [i, caller] of asked.entries()) {
      if (!caller.leaves && !caller.stands) asking++
      if (this.#answer(caller, places[i])) served++
    }
    this.asks = false
    this.#pauseUs = served > 0 ? shortestUs : Math.min(2 * this.#pauseUs, longestUs, this.#renewUs)
    this.dueUs = this.#clock.nowUs() + this.#pauseUs
    return served > 0 && (served === asking || this.#isUnderstated)
  }

  /** There are callers that the store should know of. */
  get #isUnderstated(): boolean {
    return this.#knownUnits < this.#enough && this.#known < this.#waiting.length
  }

  /** Whether it has got a place. */
  #answer(caller: CallerInLine, place: LinePlace | undefined): boolean {
    if (place === undefined || caller.leaves) return false
    caller.said = place
    if (place.waits) this.refusal = place
    else if (isBlock(place.row.reason)) this.#refuseAll(place)
    else if (this.#remove(caller)) {
      caller.waiter?.answered(place)
      return place.row.allowed
    }
    return false
  }

  /** A block refuses those too of whom the store does not know. */
  #refuseAll(place: LinePlace): void {
    for (const caller of [...this.#waiting]) {
      if (caller.waiter === undefined || !this.#remove(caller)) continue
      caller.waiter.answered(place)
    }
  }
}

/** When a place becomes free is not known: a refusal's wait is advice. */
const longestAdviceUs = 1_000_000
