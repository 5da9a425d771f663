import { type Clock, monotonicClock } from '../clock.ts'
import { isLater } from '../later.ts'
import { RandomMark, requestsApart, soon } from '../runtime.ts'
import type { Check, InLine, LinePlace, Store } from '../store.ts'
import { leaseUs } from '../strategies/definition.ts'
import { claimUs } from '../strategies/line.ts'
import { wakeQuietly } from '../waiting/timer.ts'

/** A line asks again after this, doubled each time up to the longest: other processes do not say when they give a place back. */
const shortestUs = 20_000
const longestUs = 250_000
/** Of a line only the first ones ask each time; the others ask when their turns would end. */
const mostServed = 16

/** One who waits here. */
export interface Waiter {
  readonly check: Check
  readonly priority: number
  /** It holds its place, or is refused. */
  answered(place: LinePlace): void
}

/** A waiter's turn. */
export interface Turn {
  /** What the store has answered last. */
  readonly place: LinePlace | undefined
  /** Gives it up, and its place if it has just got one; without effect once the waiter has been answered. */
  leave(): void
}

class Standing implements InLine, Turn {
  readonly check: Check
  readonly id: string
  readonly priority: number
  readonly waiter: Waiter
  readonly sinceUs: number
  waitedUs = 0
  askedUs = Number.NEGATIVE_INFINITY
  leaves = false
  place: LinePlace | undefined
  readonly #line: Line

  constructor(waiter: Waiter, { id, line, nowUs }: { id: string; line: Line; nowUs: number }) {
    this.check = waiter.check
    this.id = id
    this.priority = waiter.priority
    this.waiter = waiter
    this.sinceUs = nowUs
    this.#line = line
  }

  leave(): void {
    this.#line.leave(this)
  }
}

/** Those of this process that wait for one key. */
class Line {
  readonly name: string
  /** In the order of their turns. */
  readonly #waiting: Standing[] = []
  /** The store has not heard yet that they have left. */
  #leaving: Standing[] = []
  readonly #soon: (line: Line) => void
  /** Who has not asked for so long asks again, to keep its turn. */
  readonly #renewUs: number
  /** They ask now. */
  asks = false
  #pauseUs = shortestUs
  dueUs = 0

  constructor(name: string, check: Check, soon: (line: Line) => void) {
    this.name = name
    this.#renewUs = Math.min(claimUs, leaseUs(check)) / 3
    this.#soon = soon
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#leaving.length === 0
  }

  add(standing: Standing): void {
    let at = this.#waiting.length
    while (at > 0 && (this.#waiting[at - 1]?.priority ?? 0) < standing.priority) at--
    this.#waiting.splice(at, 0, standing)
    this.#soon(this)
  }

  leave(standing: Standing): void {
    if (!this.#remove(standing)) return
    standing.leaves = true
    this.#leaving.push(standing)
    this.#soon(this)
  }

  #remove(standing: Standing): boolean {
    const at = this.#waiting.indexOf(standing)
    if (at !== -1) this.#waiting.splice(at, 1)
    return at !== -1
  }

  /** Until they ask again. */
  pause(served: boolean, nowUs: number): void {
    this.#pauseUs = served ? shortestUs : Math.min(2 * this.#pauseUs, longestUs, this.#renewUs)
    this.dueUs = nowUs + this.#pauseUs
  }

  /** What is half due goes along with others. */
  isDue(nowUs: number): boolean {
    return this.dueUs - nowUs <= this.#pauseUs / 2
  }

  /** Who asks now: those who leave, whose places others may get in the same call, those who may be served, and those who must be heard of. */
  asking(nowUs: number): readonly Standing[] {
    const all = this.#leaving
    this.#leaving = []
    for (const [nth, standing] of this.#waiting.entries()) {
      if (nth >= mostServed && nowUs - standing.askedUs < this.#renewUs) continue
      standing.waitedUs = nowUs - standing.sinceUs
      standing.askedUs = nowUs
      all.push(standing)
    }
    return all
  }

  /** Whether the waiter has been answered, and with a place. */
  heard(standing: Standing, place: LinePlace | undefined): boolean {
    if (place === undefined || standing.leaves) return false
    standing.place = place
    if (place.waits || !this.#remove(standing)) return false
    standing.waiter.answered(place)
    return place.row.allowed
  }
}

/**
 * Callers of this process that wait for what is in flight in one store. All lines ask together: when a caller comes or goes, when a
 * place was given back here, and now and then.
 */
export class Lines {
  readonly #store: Store
  readonly #clock: Clock
  readonly #mark = new RandomMark()
  readonly #lines = new Map<string, Line>()
  readonly #wanted = new Set<Line>()
  readonly #underWay = new Set<Promise<void>>()
  #waiters = 0
  #scheduled = false
  #wakesUs = Number.POSITIVE_INFINITY
  #callOff = () => {}

  constructor(store: Store) {
    this.#store = store
    this.#clock = store.clock ?? monotonicClock
  }

  join(waiter: Waiter): Turn {
    const name = nameOf(waiter.check)
    const line = this.#lines.get(name) ?? new Line(name, waiter.check, this.#soon)
    this.#lines.set(name, line)
    // All of one length: those who come at one instant are served in the order of their names.
    const id = `${this.#mark.text}${(this.#waiters++).toString(36).padStart(8, '0')}`
    const standing = new Standing(waiter, { id, line, nowUs: this.#clock.nowUs() })
    line.add(standing)
    return standing
  }

  /** Places of these keys were given back here. */
  freed(leases: readonly { readonly check: Check }[]): void {
    for (const { check } of leases) {
      const line = this.#lines.get(nameOf(check))
      if (line !== undefined) this.#soon(line)
    }
  }

  /** The store has heard of all who have left. */
  async settled(): Promise<void> {
    // One that was asked for while another was under way follows it.
    for (let round = 0; round < 2; round++) {
      this.#askWanted()
      await Promise.all(this.#underWay)
    }
  }

  /** With all that happens in this turn. */
  readonly #soon = (line: Line): void => {
    this.#wanted.add(line)
    if (this.#scheduled) return
    this.#scheduled = true
    soon(() => this.#askWanted())
  }

  /** A line that asks already asks again when it has been answered. */
  #askWanted(): void {
    this.#scheduled = false
    const free = [...this.#wanted].filter(({ asks }) => !asks)
    for (const line of free) this.#wanted.delete(line)
    const lines = free.filter(({ isEmpty }) => !isEmpty)
    if (lines.length === 0) return
    const underWay = this.#ask(lines).finally(() => this.#underWay.delete(underWay))
    this.#underWay.add(underWay)
  }

  async #ask(lines: readonly Line[]): Promise<void> {
    const nowUs = this.#clock.nowUs()
    const asking = lines.map((line) => {
      line.asks = true
      return line.asking(nowUs)
    })
    let places: readonly LinePlace[] = []
    try {
      const answer = this.#store.line?.(asking.flat()) ?? []
      places = isLater(answer) ? await answer : answer
    } catch {
      // They ask again, and those who have left lose their turns.
    }
    let at = 0
    for (const [i, line] of lines.entries()) {
      const asked = asking[i] ?? []
      this.#heard(line, asked, places.slice(at, at + asked.length))
      at += asked.length
    }
    this.#wakeForNext()
    if (this.#wanted.size > 0) this.#askWanted()
  }

  #heard(line: Line, asked: readonly Standing[], places: readonly LinePlace[]): void {
    let served = 0
    for (const [i, standing] of asked.entries()) if (line.heard(standing, places[i])) served++
    line.asks = false
    line.pause(served > 0, this.#clock.nowUs())
    if (line.isEmpty) this.#lines.delete(line.name)
    else if (served > 0 && served === asked.length) this.#wanted.add(line)
  }

  #wakeForNext(): void {
    let dueUs = Number.POSITIVE_INFINITY
    for (const line of this.#lines.values()) if (!line.asks) dueUs = Math.min(dueUs, line.dueUs)
    if (dueUs >= this.#wakesUs) return
    this.#callOff()
    this.#wakesUs = dueUs
    const restMs = Math.max(0, Math.ceil((dueUs - this.#clock.nowUs()) / 1000))
    this.#callOff = wakeQuietly(this.#clock, restMs, () => this.#wake())
  }

  #wake(): void {
    this.#wakesUs = Number.POSITIVE_INFINITY
    const nowUs = this.#clock.nowUs()
    for (const line of this.#lines.values()) if (line.isDue(nowUs)) this.#wanted.add(line)
    this.#askWanted()
    this.#wakeForNext()
  }
}

function nameOf({ id, key }: Check): string {
  return `${id} ${key}`
}

const lines = new WeakMap<Store, Lines>()

/** All that wait in a store, of whichever limiter; where requests are apart, each asks for itself. */
export function linesIn(store: Store): Lines {
  if (requestsApart) return new Lines(store)
  const known = lines.get(store) ?? new Lines(store)
  lines.set(store, known)
  return known
}

/** The same, where any have waited. */
export function linesAlreadyIn(store: Store): Lines | undefined {
  return lines.get(store)
}
