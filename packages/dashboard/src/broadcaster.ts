import type { Client } from './client.ts'
import { ClientGroup } from './client-group.ts'
import type { Reader } from './reader.ts'
import type { Sources, View } from './sources.ts'

interface Switch {
  start(): void
  stop(): void
}

export interface BroadcasterDependencies {
  readonly sources: Sources
  readonly reader: Reader
  /** Runs only while a page is open. */
  readonly whileWatched: readonly Switch[]
}

/** Reads once for all pages together, and not at all while no page is open. */
export class Broadcaster {
  readonly #deps: BroadcasterDependencies
  readonly #groups = new Map<string, ClientGroup>()

  constructor(deps: BroadcasterDependencies) {
    this.#deps = deps
  }

  /** Returns a function that removes the client. */
  join(client: Client, view: View, all: boolean): () => void {
    const name = `${view.seconds} ${all} ${view.masked !== false}`
    const group = this.#groups.get(name) ?? new ClientGroup(this.#deps.sources, view, all)
    this.#groups.set(name, group)
    group.clients.add(client)
    for (const each of this.#deps.whileWatched) each.start()
    group.catchUp()
    return () => {
      group.clients.delete(client)
      if (group.clients.size === 0 && this.#groups.get(name) === group) this.#groups.delete(name)
      if (this.#groups.size === 0) this.stop()
    }
  }

  stop(): void {
    for (const each of this.#deps.whileWatched) each.stop()
  }

  /** Reads and sends the seconds that have ended; then as much of the past as there is time for. */
  async step(): Promise<void> {
    const { reader, sources } = this.#deps
    sources.refresh()
    const changed = await reader.readOn()
    for (const group of this.#groups.values()) group.send(changed)
    while (this.#groups.size > 0 && !reader.filled && !reader.due) {
      if (!(await reader.readBack())) return
      for (const group of this.#groups.values()) group.catchUp()
    }
  }
}
