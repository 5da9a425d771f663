import type { Act, ActReason, Duration } from '@sluice/core'
import { codedError, durationUs, inRedis, observing, optionError } from '@sluice/core/internal'
import { mostEntries } from '@sluice/http/internal'
import { enlistLua, entriesLua } from '../lua.generated.ts'
import { type ListPlace, nameOf, readStored, type StoredEntry } from './entry.ts'

const readScript: inRedis.Script = inRedis.scriptOf(entriesLua)
const changeScript: inRedis.Script = inRedis.scriptOf(enlistLua)
const longestUs = 366 * 86_400_000_000

/** Runs a script on keys of operations. */
export interface RunsScripts {
  run(script: inRedis.Script, names: readonly string[], args: readonly (string | number)[]): Promise<unknown>
}

/** What Redis says of the lists; `entries` is undefined where they are as before. */
export interface ListsSight {
  /** '' where there is no list at all. */
  readonly version: string
  readonly entries: readonly StoredEntry[] | undefined
  readonly malformed: number
}

/** The lists of all processes, as they stand in Redis. What fails rejects with a StoreError. */
export interface StoredLists {
  /**
   * Puts an address, a network or a key on a list, for at most 366 days; an entry that is there already gets the new end. Rejects with
   * the code SLUICE_LISTS_FULL past 10,000 entries.
   *
   * @example
   * await ops.lists.put({ list: 'deny', address: '203.0.113.0/24' }, '1d', { why: 'scraper', by: 'alice' })
   */
  put(place: ListPlace, time: Duration, about?: ActReason): Promise<void>
  /** Takes it off its list; false: it was not on it. */
  remove(place: ListPlace, about?: ActReason): Promise<boolean>
  entries(): Promise<readonly StoredEntry[]>
}

/** Tells all processes of a change. */
type Tell = (act: Act) => Promise<void>

/** In one hash, with each change in the log. */
export class ListsServer implements StoredLists {
  readonly #server: RunsScripts
  readonly #tell: Tell

  constructor(server: RunsScripts, tell: Tell) {
    this.#server = server
    this.#tell = tell
  }

  async read(known = ''): Promise<ListsSight> {
    const reply = inRedis.listOf(await this.#server.run(readScript, ['lists'], [known]))
    const version = String(reply[1])
    if (version === '' || version === known) return { version, entries: undefined, malformed: 0 }
    return { version, ...readStored(inRedis.listOf(reply[2]), Number(reply[0])) }
  }

  async entries(): Promise<readonly StoredEntry[]> {
    const { entries = [] } = await this.read()
    return entries.filter(({ endsInMs }) => endsInMs > 0)
  }

  async put(place: ListPlace, time: Duration, about?: ActReason): Promise<void> {
    const reason = observing.readReason(about)
    const us = durationUs(time, 'time')
    if (us > longestUs) throw optionError('time', 'at most 366 days', time)
    const forMs = Math.ceil(us / 1000)
    const text = JSON.stringify({ ...reason, atMs: Date.now() })
    if ((await this.#change(forMs, place, text)) >= 0)
      return this.#tell(actOn(place, { act: verbs[place.list], forMs, ...reason }))
    const message = `the lists hold at most ${mostEntries} entries: remove some, or name a network instead of its addresses`
    throw codedError(message, { code: 'SLUICE_LISTS_FULL' })
  }

  async remove(place: ListPlace, about?: ActReason): Promise<boolean> {
    const reason = observing.readReason(about)
    const removed = await this.#change(0, place, '')
    if (removed > 0) await this.#tell(actOn(place, { act: 'unlist', ...reason }))
    return removed > 0
  }

  async #change(lifeMs: number, place: ListPlace, text: string): Promise<number> {
    return Number(await this.#server.run(changeScript, ['lists'], [lifeMs, mostEntries, nameOf(place), text]))
  }
}

const verbs = { allow: 'allow', deny: 'deny', block: 'refuse' } as const

function actOn(
  { address, key, limiter = '' }: ListPlace,
  about: ActReason & Pick<Act, 'act' | 'forMs'>,
): Act {
  return { ...about, limiter, policies: [], key: address ?? key ?? '', atMs: Date.now() }
}
