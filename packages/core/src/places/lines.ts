import { isLater } from '../answers.ts'
import { type Clock, monotonicClock } from '../clock.ts'
import { RandomMark, requestsApart, soon } from '../runtime.ts'
import type { Check, LinePlace, Store } from '../store.ts'
import { wakeQuietly } from '../waiting/alarm.ts'
import { type CallerInLine, Line } from './line-here.ts'

/**
 * Callers of this process that wait for what is in flight in one store. All lines ask together: when a caller comes or goes, when a
 * place was given back here, and at intervals.
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

  /** Puts a caller that may wait into the line of its key. */
  arrive(check: Check, priority: number): CallerInLine {
    const name = nameOf(check)
    const line = this.#lines.get(name) ?? new Line(name, check, { clock: this.#clock, wanted: this.#soon })
    this.#lines.set(name, line)
    // All ids have one length: callers that come at one instant are served in the order of their ids.
    const id = `${this.#mark.text}${(this.#waiters++).toString(36).padStart(8, '0')}`
    return line.add({ check, priority, id })
  }

  /** Lets the lines of these keys ask, as places were given back here. */
  freed(leases: readonly { readonly check: Check }[]): void {
    for (const { check } of leases) {
      const line = this.#lines.get(nameOf(check))
      if (line !== undefined) this.#soon(line)
    }
  }

  /** Resolves when all questions are answered, and the store has heard of all callers that have left. */
  async settled(): Promise<void> {
    // A second round, as a question that was wanted while its line was asking comes after that.
    for (let round = 0; round < 2; round++) {
      this.#askWanted()
      await Promise.all(this.#underWay)
    }
  }

  /** Asks at the end of this turn of the event loop, for all lines in one call. */
  readonly #soon = (line: Line): void => {
    this.#wanted.add(line)
    if (this.#scheduled) return
    this.#scheduled = true
    soon(() => this.#askWanted())
  }

  /** Asks for all wanted lines; one that is asking already asks again when it has its answer. */
  #askWanted(): void {
    this.#scheduled = false
    const free = [...this.#wanted].filter(({ asks }) => !asks)
    for (const line of free) this.#wanted.delete(line)
    for (const { isEmpty, name } of free) if (isEmpty) this.#lines.delete(name)
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
      const all = asking.flat()
      const answer = all.length === 0 ? [] : (this.#store.line?.(all) ?? [])
      places = isLater(answer) ? await answer : answer
    } catch {
      // The callers ask again; those that have left lose their turns in the store after a while.
    }
    let at = 0
    for (const [i, line] of lines.entries()) {
      const asked = asking[i] ?? []
      const again = line.heard(asked, places.slice(at, at + asked.length))
      at += asked.length
      if (line.isEmpty) this.#lines.delete(line.name)
      else if (again) this.#wanted.add(line)
    }
    this.#wakeForNext()
    if (this.#wanted.size > 0) this.#askWanted()
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

/** The lines of a store, for all its limiters; if requests must be kept apart, each call gets lines of its own. */
export function linesIn(store: Store): Lines {
  if (requestsApart) return new Lines(store)
  const known = lines.get(store) ?? new Lines(store)
  lines.set(store, known)
  return known
}

/** The lines of a store, if any caller has come to wait there. */
export function linesAlreadyIn(store: Store): Lines | undefined {
  return lines.get(store)
}
