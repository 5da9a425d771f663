import { Ring } from './memory-ring.ts'

/** A job that is not done. */
export interface Entry {
  readonly ticket: string
  readonly job: string
  /** Dense, in the order of arrival. */
  readonly number: number
  readonly arrivedUs: number
  /** Attempts that have begun. */
  attempt: number
  /** The member that has it; null while it waits. */
  holder: object | null
  /** Where it waits for another attempt: from when on it may be taken. */
  dueUs: number
}

/** The jobs of a queue that are not done: those that never began, in a ring, and those that wait for another attempt. */
export class Entries {
  /** In the order of arrival. */
  readonly #all = new Map<string, Entry>()
  readonly #fresh: Ring<Entry>
  /** By `dueUs`. */
  readonly #again: Entry[] = []
  #arrived = 0

  constructor(limit: number) {
    this.#fresh = new Ring(limit)
  }

  /** Waiting and running. */
  get length(): number {
    return this.#all.size
  }

  /** Never begun. */
  get fresh(): number {
    return this.#fresh.length
  }

  get waiting(): number {
    return this.#fresh.length + this.#again.length
  }

  get oldest(): Entry | undefined {
    return this.#all.values().next().value
  }

  /** When the next one that waits for another attempt may be taken. */
  get nextDueUs(): number | undefined {
    return this.#again[0]?.dueUs
  }

  heldBy(holder: object): readonly Entry[] {
    return [...this.#all.values()].filter((entry) => entry.holder === holder)
  }

  get(ticket: string): Entry | undefined {
    return this.#all.get(ticket)
  }

  add(ticket: string, job: string, nowUs: number): Entry {
    const number = ++this.#arrived
    const entry: Entry = { ticket, job, number, arrivedUs: nowUs, attempt: 0, holder: null, dueUs: 0 }
    this.#all.set(ticket, entry)
    this.#fresh.push(entry)
    return entry
  }

  /** How many entries that are not done there are up to this one, which waits. */
  positionOf({ number }: Entry): number {
    const begun = this.#arrived - this.#fresh.length
    // One that waits for another attempt is next.
    return number <= begun ? 1 : number - begun + (this.length - this.#fresh.length)
  }

  /** The next one that may be taken. Those that wait for another attempt come first. */
  take(nowUs: number): Entry | undefined {
    const [next] = this.#again
    return next !== undefined && next.dueUs <= nowUs ? this.#again.shift() : this.#fresh.shift()
  }

  /** To be taken again from an instant on. */
  putBack(entry: Entry, dueUs: number): void {
    entry.holder = null
    entry.dueUs = dueUs
    const place = this.#again.findLastIndex((other) => other.dueUs <= dueUs)
    this.#again.splice(place + 1, 0, entry)
  }

  end({ ticket }: Entry): void {
    this.#all.delete(ticket)
  }
}
