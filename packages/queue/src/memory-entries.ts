import { Ring } from './memory-ring.ts'

/** A job that is not done. */
export interface Entry {
  readonly ticket: string
  readonly job: string
  /** Counts up by one, in the order of arrival. */
  readonly number: number
  readonly arrivedUs: number
  /** Attempts that have begun. */
  attempt: number
  /** The member that has it; null while it waits. */
  holder: object | null
  /** For an entry that waits for a retry: the time from which it may be taken. */
  dueUs: number
}

/** The unfinished jobs of a queue: new ones, in a ring, and those that wait for a retry. */
export class Entries {
  /** Entries by their ticket, in the order of arrival. */
  readonly #all = new Map<string, Entry>()
  readonly #fresh: Ring<Entry>
  /** Entries that wait for a retry, sorted by `dueUs`. */
  readonly #again: Entry[] = []
  #arrived = 0

  constructor(limit: number) {
    this.#fresh = new Ring(limit)
  }

  /** The number of entries, waiting and running. */
  get length(): number {
    return this.#all.size
  }

  /** The number of entries that have never begun. */
  get fresh(): number {
    return this.#fresh.length
  }

  get waiting(): number {
    return this.#fresh.length + this.#again.length
  }

  get oldest(): Entry | undefined {
    return this.#all.values().next().value
  }

  /** When the next retry may be taken. */
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

  /** The number of unfinished entries up to this waiting one. */
  positionOf({ number }: Entry): number {
    const begun = this.#arrived - this.#fresh.length
    // An entry that waits for a retry is next.
    return number <= begun ? 1 : number - begun + (this.length - this.#fresh.length)
  }

  /** The next entry that may be taken. Retries come first. */
  take(nowUs: number): Entry | undefined {
    const [next] = this.#again
    return next !== undefined && next.dueUs <= nowUs ? this.#again.shift() : this.#fresh.shift()
  }

  /** Lets an entry be taken again from a time on. */
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
