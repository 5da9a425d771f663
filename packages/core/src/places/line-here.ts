import type { Clock } from '../clock.ts'
import { isBlock, makeRow } from '../row.ts'
import type { Check, InLine, LinePlace } from '../store.ts'
import { claimUs, longestAdviceUs } from '../strategies/line.ts'
import { leaseUs } from '../strategies/policy-parts.ts'

/** When a line asks again, doubled each time up to `longestUs`: other processes do not tell when they give a place back. */
const shortestUs = 20_000
const longestUs = 250_000
/** How many callers, the first of a line, may be served each time. */
const mostServed = 16
/**
 * The store knows the callers at the head of the line: as many units of them as there are places, and never more than this. Each of them
 * counts as if it already held its places, so a caller that does not wait finds none free and cannot overtake.
 */
const mostKnown = 1000

/** A caller that waits in this process. */
export interface Waiter {
  /** Called when the caller holds its place, or is refused. */
  answered(place: LinePlace): void
}

type Comer = Pick<InLine, 'check' | 'priority' | 'id'>

/** A caller that has come, and may have to wait. */
export class CallerInLine implements InLine {
  readonly check: Check
  readonly id: string
  readonly priority: number
  /** Whether no caller of this process comes before it: then it asks by a check of its own, and none behind it asks meanwhile. */
  readonly isFirst: boolean
  /** undefined: it asks by a check of its own. */
  waiter: Waiter | undefined
  readonly #sinceUs: number
  readonly #clock: Clock
  /** When it last asked in the line; -Infinity: it has not, so the store knows nothing of it. */
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

  /** Computed when it is read, as a call may be held back before it leaves. */
  get waitedUs(): number {
    return this.#clock.nowUs() - this.#sinceUs
  }

  get isKnown(): boolean {
    return this.askedUs !== Number.NEGATIVE_INFINITY
  }

  /** Its last answer, or that of another caller in the line. */
  get place(): LinePlace {
    return this.said ?? this.#line.refusal
  }

  /** Begins to wait; `refusal`: the answer to its own check. */
  wait(waiter: Waiter, refusal?: LinePlace): void {
    this.waiter = waiter
    this.said = refusal
    this.#line.goOn()
  }

  /** Gives its turn up, and its place if it has just got one; without effect once the waiter has been answered. */
  leave(): void {
    this.#line.leave(this)
  }
}

/** The callers of this process that wait for one key. */
export class Line {
  readonly name: string
  /** In the order of their turns. */
  readonly #waiting: CallerInLine[] = []
  /** Callers that have left, of which the store has not heard yet. */
  #leaving: CallerInLine[] = []
  readonly #clock: Clock
  readonly #wanted: (line: Line) => void
  /** A caller that has not asked for so long asks again, to keep its turn. */
  readonly #renewUs: number
  /** For how many units the store is to know of waiting callers. */
  readonly #enough: number
  /** How many waiting callers the store knows of, and their units. */
  #known = 0
  #knownUnits = 0
  /** The last answer to a caller that goes on waiting. */
  refusal: LinePlace
  /** Whether the line is asking the store. */
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

  /** Whether the line asks along with others: at least half of its pause is over. */
  isDue(nowUs: number): boolean {
    return this.dueUs - nowUs <= this.#pauseUs / 2
  }

  /**
   * The callers that ask now: those that leave, whose places others may get in the same call; those that may be served; and those that
   * must keep their turns in the store, or of which it is to know. No caller passes one that asks by a check of its own.
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

  /** Passes on the answers. Returns whether the next callers are to ask at once, as others were served. */
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

  /** Whether there are more callers that the store should know of. */
  get #isUnderstated(): boolean {
    return this.#knownUnits < this.#enough && this.#known < this.#waiting.length
  }

  /** Passes an answer on to its caller. Returns whether that has got a place. */
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

  /** Refuses all callers because of a block, also those of which the store does not know. */
  #refuseAll(place: LinePlace): void {
    for (const caller of [...this.#waiting]) {
      if (caller.waiter === undefined || !this.#remove(caller)) continue
      caller.waiter.answered(place)
    }
  }
}
