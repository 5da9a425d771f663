import type { ActReason, Duration, Key, Listed, Lists, ListsWatcher } from '@sluice/core'
import type { ListPlace, StoredEntry } from './entry.ts'
import type { ListsServer, StoredLists } from './lists-server.ts'
import { listsOf } from './stored-lists.ts'

/** Two looks fit into the second in which a change is in force. */
const everyMs = 400

/** Lists that all processes share by Redis. What is written by one of them is in force in each within a second, and at once in itself. */
export interface RedisLists extends Lists, StoredLists {
  ready(): Promise<void>
}

export class PolledLists implements RedisLists {
  readonly #server: ListsServer
  readonly #watchers = new Set<ListsWatcher>()
  readonly #timer: NodeJS.Timeout
  #table = listsOf([])
  #version = ''
  #underWay: Promise<void> | undefined
  #warned = false
  #closed = false

  constructor(server: ListsServer) {
    this.#server = server
    this.#timer = setInterval(() => void this.ready(), everyMs)
    this.#timer.unref()
    void this.ready()
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
    await this.#readAfresh()
  }

  async remove(place: ListPlace, about?: ActReason): Promise<boolean> {
    const removed = await this.#server.remove(place, about)
    await this.#readAfresh()
    return removed
  }

  entries(): Promise<readonly StoredEntry[]> {
    return this.#server.entries()
  }

  /** Never rejects: what was known last goes on while Redis is away. */
  ready(): Promise<void> {
    if (this.#closed) return Promise.resolve()
    this.#underWay ??= this.#read().finally(() => {
      this.#underWay = undefined
    })
    return this.#underWay
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#timer)
  }

  /** A look that is under way may have been answered before the change. */
  async #readAfresh(): Promise<void> {
    await this.#underWay
    await this.ready()
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
