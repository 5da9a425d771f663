import type { Duration } from '@sluice/core'
import {
  codedError,
  durationUs,
  listOf,
  mostEntries,
  optionError,
  type Script,
  scriptOf,
} from '@sluice/core/internal'
import { enlistLua, entriesLua } from '../lua.generated.ts'
import { type ListPlace, nameOf, readStored, type StoredEntry } from './entry.ts'

const readScript: Script = scriptOf(entriesLua)
const changeScript: Script = scriptOf(enlistLua)
const longestUs = 366 * 86_400_000_000

/** Runs a script on keys of operations. */
export interface RunsScripts {
  run(script: Script, names: readonly string[], args: readonly (string | number)[]): Promise<unknown>
}

/** What Redis says of the lists; `entries` is undefined where they are as before. */
export interface ListsSight {
  /** '' where there is no list at all. */
  readonly version: string
  readonly entries: readonly StoredEntry[] | undefined
  readonly malformed: number
}

/** Why an entry is made, and by whom. */
export interface ListReason {
  readonly why?: string | undefined
  readonly by?: string | undefined
}

/** The lists of all processes, in one hash. Every failure is a StoreError. */
export class ListsServer {
  readonly #server: RunsScripts

  constructor(server: RunsScripts) {
    this.#server = server
  }

  async read(known = ''): Promise<ListsSight> {
    const reply = listOf(await this.#server.run(readScript, ['lists'], [known]))
    const version = String(reply[1])
    if (version === '' || version === known) return { version, entries: undefined, malformed: 0 }
    return { version, ...readStored(listOf(reply[2]), Number(reply[0])) }
  }

  /** Entries that are there already get another end. Rejects with SLUICE_LISTS_FULL where they do not fit. */
  async put(places: readonly ListPlace[], time: Duration, about: ListReason = {}): Promise<void> {
    const us = durationUs(time, 'time')
    if (us > longestUs) throw optionError('time', 'at most 366 days', time)
    const text = JSON.stringify({ ...about, atMs: Date.now() })
    const changed = await this.#change(Math.ceil(us / 1000), places, text)
    if (changed >= 0) return
    const message = `the lists hold at most ${mostEntries} entries: remove some, or name a network instead of its addresses`
    throw codedError(message, { code: 'SLUICE_LISTS_FULL' })
  }

  /** How many of them there were. */
  remove(places: readonly ListPlace[]): Promise<number> {
    return this.#change(0, places, '')
  }

  async #change(lifeMs: number, places: readonly ListPlace[], text: string): Promise<number> {
    const entries = places.flatMap((place) => [nameOf(place), text])
    return Number(await this.#server.run(changeScript, ['lists'], [lifeMs, mostEntries, ...entries]))
  }
}
