import type { StoreEvent } from '@sluice/core'
import { Bounded, Room } from './bounded.ts'
import type { Value } from './values.ts'

const maxStores = 100

class StoreEvents {
  failures = 0
  lateReplies = 0
  openings = 0
}

/** Counts the events of stores. */
export class StoreCounts {
  readonly #stores = new Bounded(new Room(maxStores), () => new StoreEvents())
  #last: StoreEvent | undefined

  /** Shows a store before its first event: a counter that first appears as a 1 has not increased. */
  open(store: string): void {
    this.#stores.of(store)
  }

  /** Counts an event once: limiters that share a store report the same event in turn. */
  add(event: StoreEvent): void {
    if (event === this.#last) return
    this.#last = event
    const counts = this.#stores.of(event.store)
    if (event.kind === 'failed') counts.failures++
    else if (event.kind === 'late') counts.lateReplies++
    else if (event.kind === 'opened') counts.openings++
  }

  failures(): readonly Value[] {
    return this.#each(({ failures }) => failures)
  }

  lateReplies(): readonly Value[] {
    return this.#each(({ lateReplies }) => lateReplies)
  }

  openings(): readonly Value[] {
    return this.#each(({ openings }) => openings)
  }

  #each(read: (counts: StoreEvents) => number): readonly Value[] {
    return [...this.#stores.entries()].map(([store, counts]) => ({ labels: { store }, value: read(counts) }))
  }
}
