import type { RecordedEvent } from './sink.ts'

/** The latest events in memory; an event that is added twice is kept once. */
export class MemoryEvents {
  readonly #most: number
  /** By time and text, as JSON. */
  readonly #events = new Map<string, RecordedEvent>()

  constructor(most: number) {
    this.#most = most
  }

  add(events: readonly RecordedEvent[]): void {
    for (const event of events) this.#events.set(JSON.stringify([event.atMs, event.text]), event)
    if (this.#events.size <= this.#most) return
    const byTime = [...this.#events].sort(([, a], [, b]) => a.atMs - b.atMs)
    for (const [name] of byTime.slice(0, -this.#most)) this.#events.delete(name)
  }

  /** The oldest first. */
  since(fromMs: number): readonly RecordedEvent[] {
    return [...this.#events.values()].filter(({ atMs }) => atMs >= fromMs).sort((a, b) => a.atMs - b.atMs)
  }
}
