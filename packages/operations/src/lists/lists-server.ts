import type { Act, ActReason, Duration } from '@sluice/core'
import { codedError, durationUs, limiters, msUp, observing } from '@sluice/core/internal'
import { mostEntries } from '@sluice/http/internal'
import { type RunsScripts, StoredHash } from '../stored-hash.ts'
import { type ListPlace, nameOf, readStored, type StoredEntry } from './entry.ts'

/** The lists in Redis; `entries` is undefined if they are as before. */
export interface ListsSight {
  /** '' if there is no list at all. */
  readonly version: string
  readonly entries: readonly StoredEntry[] | undefined
  readonly malformed: number
}

/** The lists of all processes, as they stand in Redis. Calls that fail reject with a StoreError. */
export interface StoredLists {
  /**
   * Puts an address, a network or a key on a list, for at most 366 days; an entry that is there already gets the new end. Rejects with
   * the code SLUICE_LISTS_FULL past 10,000 entries.
   *
   * @example
   * await ops.lists.put({ list: 'deny', address: '203.0.113.0/24' }, '1d', { why: 'scraper', by: 'alice' })
   */
  put(place: ListPlace, time: Duration, about?: ActReason): Promise<void>
  /** Takes a place off its list. Resolves to false if it was not on it. */
  remove(place: ListPlace, about?: ActReason): Promise<boolean>
  entries(): Promise<readonly StoredEntry[]>
}

/** Tells all processes of a change. */
export type Tell = (act: Act) => Promise<void>

/** Keeps the lists in one hash, and adds each change to the log. */
export class ListsServer implements StoredLists {
  readonly #hash: StoredHash
  readonly #tell: Tell
  readonly #reports: observing.Reports

  constructor(server: RunsScripts, tell: Tell, reports: observing.Reports) {
    this.#hash = new StoredHash(server, 'lists', mostEntries)
    this.#tell = tell
    this.#reports = reports
  }

  async read(known = ''): Promise<ListsSight> {
    const { version, fields, nowMs } = await this.#hash.read(known)
    if (fields === undefined) return { version, entries: undefined, malformed: 0 }
    return { version, ...readStored(fields, nowMs) }
  }

  async entries(): Promise<readonly StoredEntry[]> {
    const { entries = [] } = await this.read()
    return entries.filter(({ endsInMs }) => endsInMs > 0)
  }

  async put(place: ListPlace, time: Duration, about?: ActReason): Promise<void> {
    const reason = observing.readReason(about)
    const forMs = msUp(durationUs(time, 'time'))
    limiters.warnOfShortTimes(this.#reports, { 'the time of lists.put': time })
    const text = JSON.stringify({ ...reason, atMs: Date.now() })
    if (await this.#hash.put(nameOf(place), text, forMs))
      return this.#tell(actOn(place, { act: verbs[place.list], forMs, ...reason }))
    const message = `the lists hold at most ${mostEntries} entries: remove some, or name a network instead of its addresses`
    throw codedError(message, { code: 'SLUICE_LISTS_FULL' })
  }

  async remove(place: ListPlace, about?: ActReason): Promise<boolean> {
    const reason = observing.readReason(about)
    const removed = await this.#hash.remove(nameOf(place))
    if (removed) await this.#tell(actOn(place, { act: 'unlist', ...reason }))
    return removed
  }
}

const verbs = { allow: 'allow', deny: 'deny', block: 'refuse' } as const

function actOn(
  { address, key, limiter = '' }: ListPlace,
  about: ActReason & Pick<Act, 'act' | 'forMs'>,
): Act {
  return { ...about, limiter, policies: [], key: address ?? key ?? '', atMs: Date.now() }
}
