import type { ActReason, Duration, Key, Listed, Lists, ListsWatcher } from '@sluice/core'
import { Polling } from '../polling.ts'
import type { ListPlace, StoredEntry } from './entry.ts'
import type { ListsServer, StoredLists } from './lists-server.ts'
import { listsOf } from './stored-lists.ts'

/** Lists that all processes share by Redis. What is written by one of them is in force in each within a second, and at once in itself. */
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

  /** Never rejects: what was known last goes on while Redis is away. */
  ready(): Promise<void> {
    return this.#polling.once()
  }

  close(): void {
    this.#polling.close()
  }

  async #read(): Promise<void> {
    try {
      const { version, entries, malformed } = await this.#server.read(this.#version)
      // Where Redis has lost its data what was known goes on, until somebody writes a list again.
      if (entries === undefined) return
      this.#table = listsOf(entries)
      this.#version = version
      if (malformed > 0) this.#warnMalformed(malformed)
      else this.#warned = false
    } catch {
      // Asked again soon; operations' and the store's health say that Redis is away.
    }
  }

  #warnMalformed(count: number): void {
    if (this.#warned) return
    this.#warned = true
    const message = `${count} entries of the lists in Redis cannot be read, and are left out`
    for (const watcher of this.#watchers) watcher.warned({ code: 'SLUICE_LISTS_MALFORMED', message })
  }
}
