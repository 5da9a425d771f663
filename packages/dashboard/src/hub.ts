import type { Client } from './client.ts'
import { Feed } from './feed.ts'
import type { Reader } from './reader.ts'
import type { Span } from './shown.ts'
import type { Sources } from './sources.ts'

/** After the end of a second the recorders of all processes have written what happened in it. */
const graceMs = 250

export interface HubParts {
  readonly sources: Sources
  readonly reader: Reader
  /** Counts while somebody looks. */
  readonly standIn: { start(): void; stop(): void }
}

/** Reads once a second for all pages together, and not at all while nobody looks. */
export class Hub {
  readonly #sources: Sources
  readonly #reader: Reader
  readonly #standIn: HubParts['standIn']
  readonly #feeds = new Map<string, Feed>()
  #timer: NodeJS.Timeout | undefined
  #reading = false

  constructor({ sources, reader, standIn }: HubParts) {
    this.#sources = sources
    this.#reader = reader
    this.#standIn = standIn
  }

  /** The answer lets it go. */
  join(client: Client, span: Span, all: boolean): () => void {
    const name = `${span.seconds} ${all}`
    const feed = this.#feeds.get(name) ?? new Feed(this.#sources, span, all)
    this.#feeds.set(name, feed)
    feed.clients.add(client)
    this.#standIn.start()
    if (this.#timer === undefined && !this.#reading) void this.#go()
    else feed.catchUp()
    return () => {
      feed.clients.delete(client)
      if (feed.clients.size === 0 && this.#feeds.get(name) === feed) this.#feeds.delete(name)
      if (this.#feeds.size === 0) this.stop()
    }
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#standIn.stop()
  }

  /** What has ended is read and told; then as much of the past as there is time for. */
  async step(): Promise<void> {
    const reader = this.#reader
    this.#sources.refresh()
    const changed = await reader.readOn()
    for (const feed of this.#feeds.values()) feed.tell(changed)
    while (this.#feeds.size > 0 && !reader.filled && !reader.due) {
      if (!(await reader.readBack())) return
      for (const feed of this.#feeds.values()) feed.catchUp()
    }
  }

  async #go(): Promise<void> {
    this.#timer = undefined
    this.#reading = true
    try {
      await this.step()
    } catch {
      // A limiter of the user's own that fails: pages keep what they have, and it is tried again.
    }
    this.#reading = false
    if (this.#feeds.size > 0) this.#timer = setTimeout(() => void this.#go(), this.#untilNextMs()).unref()
  }

  /** Until a second has ended that is not read yet. */
  #untilNextMs(): number {
    if (this.#reader.due) return 0
    return 1000 - (this.#sources.nowMs() % 1000) + graceMs
  }
}
