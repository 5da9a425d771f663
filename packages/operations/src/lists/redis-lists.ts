import type { ActReason, Duration, Key, Listed, Lists, ListsWatcher } from '@sluice/core'
import { Polling } from '../polling.ts'
import type { ListPlace, StoredEntry } from './entry.ts'
import type { ListsServer, StoredLists } from './lists-server.ts'
import { listsOf } from './stored-lists.ts'

/** Lists that all processes share by Redis. A change by one process is in force there at once, and in the others within a second. */
export interface RedisLists extends Lists, StoredLists {
  ready(): Promise<void>
}

export class PolledLists implements RedisLists {
  readonly #server: ListsServer
  readonly #watchers = new Set<ListsWatcher>()
  readonly #polling: Polling
  #table = listsOf([])
  #version = ''
  #warned = false

  constructor(server: ListsServer) {
    this.#server = server
    this.#polling = new Polling(() => this.#read())
  }

  ofAddress(address: string, limiter: string): Listed | undefined {
    return this.#table.ofAddress(address, limiter)
  }

  ofKey(key: Key, limiter: string): Listed | undefined {
    return this.#table.ofKey(key, limiter)
  }

  watch(watcher: ListsWatcher): () => void {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  async put(place: ListPlace, time: Duration, about?: ActReason): Promise<void> {
    await this.#server.put(place, time, about)
    await this.#polling.afresh()
  }

  async remove(place: ListPlace, about?: ActReason): Promise<boolean> {
    const removed = await this.#server.remove(place, about)
    await this.#polling.afresh()
    return removed
  }

  entries(): Promise<readonly StoredEntry[]> {
    return this.#server.entries()
  }

  /** Never rejects: the entries that were read last stay in force while Redis is away. */
  ready(): Promise<void> {
    return this.#polling.once()
  }

  close(): void {
    this.#polling.close()
  }

  async #read(): Promise<void> {
    try {
      const { version, entries, malformed } = await this.#server.read(this.#version)
      // If Redis has lost its data, the entries known here stay in force until a list is changed again.
      if (entries === undefined) return
      this.#table = listsOf(entries)
      this.#version = version
      if (malformed > 0) this.#warnMalformed(malformed)
      else this.#warned = false
    } catch {
      // Redis is asked again soon; the health of operations and of the store says that it is away.
    }
  }

  #warnMalformed(count: number): void {
    if (this.#warned) return
    this.#warned = true
    const message = `${count} entries of the lists in Redis cannot be read, and are left out`
    for (const watcher of this.#watchers) watcher.warned({ code: 'SLUICE_LISTS_MALFORMED', message })
  }
}
