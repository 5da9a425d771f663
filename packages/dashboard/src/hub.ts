import type { Client } from './client.ts'
import { Feed } from './feed.ts'
import type { Span } from './history.ts'
import type { Reader } from './reader.ts'
import type { Sources } from './sources.ts'

interface Switch {
  start(): void
  stop(): void
}

export interface HubParts {
  readonly sources: Sources
  readonly reader: Reader
  /** Runs only while a page is open. */
  readonly whileWatched: readonly Switch[]
}

/** Reads once for all pages together, and not at all while no page is open. */
export class Hub {
  readonly #parts: HubParts
  readonly #feeds = new Map<string, Feed>()

  constructor(parts: HubParts) {
    this.#parts = parts
  }

  /** Call the answer to remove the client. */
  join(client: Client, span: Span, all: boolean): () => void {
    const name = `${span.seconds} ${all}`
    const feed = this.#feeds.get(name) ?? new Feed(this.#parts.sources, span, all)
    this.#feeds.set(name, feed)
    feed.clients.add(client)
    for (const each of this.#parts.whileWatched) each.start()
    feed.catchUp()
    return () => {
      feed.clients.delete(client)
      if (feed.clients.size === 0 && this.#feeds.get(name) === feed) this.#feeds.delete(name)
      if (this.#feeds.size === 0) this.stop()
    }
  }

  stop(): void {
    for (const each of this.#parts.whileWatched) each.stop()
  }

  /** Reads and sends the seconds that have ended; then as much of the past as there is time for. */
  async step(): Promise<void> {
    const { reader, sources } = this.#parts
    sources.refresh()
    const changed = await reader.readOn()
    for (const feed of this.#feeds.values()) feed.tell(changed)
    while (this.#feeds.size > 0 && !reader.filled && !reader.due) {
      if (!(await reader.readBack())) return
      for (const feed of this.#feeds.values()) feed.catchUp()
    }
  }
}
