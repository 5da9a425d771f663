import type { Clock } from '../clock.ts'
import { isBlock, makeRow } from '../row.ts'
import type { Check, InLine, LinePlace } from '../store.ts'
import { leaseUs } from '../strategies/definition.ts'
import { claimUs } from '../strategies/line.ts'

/** A line asks again after this, doubled each time up to the longest: other processes do not say when they give a place back. */
const shortestUs = 20_000
const longestUs = 250_000
/** Of a line only the first ones ask each time. */
const mostServed = 16
/** The store knows of a process's callers as many units as there are places, so that none is free for those who do not wait, and this is the most. */
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

/** Who comes. */
interface Comer {
  readonly check: Check
  readonly priority: number
  readonly id: string
}

export class Standing implements InLine, Arrival {
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
  readonly #waiting: Standing[] = []
  /** The store has not heard yet that they have left. */
  #leaving: Standing[] = []
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

  add(comer: Comer): Standing {
    const isFirst = this.#waiting.length === 0
    const standing = new Standing(comer, { line: this, isFirst, clock: this.#clock })
    let at = this.#waiting.length
    while (at > 0 && (this.#waiting[at - 1]?.priority ?? 0) < standing.priority) at--
    this.#waiting.splice(at, 0, standing)
    return standing
  }

  goOn(): void {
    this.#wanted(this)
  }

  leave(standing: Standing): void {
    if (!this.#remove(standing)) return
    standing.leaves = true
    if (standing.isKnown) this.#leaving.push(standing)
    this.#wanted(this)
  }

  #remove(standing: Standing): boolean {
    const at = this.#waiting.indexOf(standing)
    if (at === -1) return false
    this.#waiting.splice(at, 1)
    if (standing.isKnown) this.#count(standing, -1)
    return true
  }

  #count({ check }: Standing, by: 1 | -1): void {
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
  asking(nowUs: number): readonly Standing[] {
    const all = this.#leaving
    this.#leaving = []
    let knownSeen = 0
    for (let nth = 0; nth < this.#waiting.length; nth++) {
      const standing = this.#waiting[nth]
      if (standing?.waiter === undefined) break
      const wanted = this.#knownUnits < 2 * this.#enough
      if (nth >= mostServed && !wanted && knownSeen === this.#known) break
      if (standing.isKnown) knownSeen++
      standing.stands = nth >= mostServed
      if (standing.stands && (standing.isKnown ? nowUs - standing.askedUs < this.#renewUs : !wanted)) continue
      if (!standing.isKnown) {
        this.#count(standing, 1)
        knownSeen++
      }
      standing.askedUs = nowUs
      all.push(standing)
    }
    return all
  }

  /** Whether the next ones are to ask at once, as others were served. */
  heard(asked: readonly Standing[], places: readonly LinePlace[]): boolean {
    let served = 0
    let asking = 0
    for (const [i, standing] of asked.entries()) {
      if (!standing.leaves && !standing.stands) asking++
      if (this.#answer(standing, places[i])) served++
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
  #answer(standing: Standing, place: LinePlace | undefined): boolean {
    if (place === undefined || standing.leaves) return false
    standing.said = place
    if (place.waits) this.refusal = place
    else if (isBlock(place.row.reason)) this.#refuseAll(place)
    else if (this.#remove(standing)) {
      standing.waiter?.answered(place)
      return place.row.allowed
    }
    return false
  }

  /** A block refuses those too of whom the store does not know. */
  #refuseAll(place: LinePlace): void {
    for (const standing of [...this.#waiting]) {
      if (standing.waiter === undefined || !this.#remove(standing)) continue
      standing.waiter.answered(place)
    }
  }
}

/** When a place becomes free is not known: a refusal's wait is advice. */
const longestAdviceUs = 1_000_000
