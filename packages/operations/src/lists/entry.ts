import type { Key, ListName } from '@sluice/core'
import { isRecord } from '@sluice/core/internal'
import { type Entry, readEntry } from '@sluice/http/internal'
import { aboutOf, readText } from '../stored-hash.ts'

/** An address or a key on a list, as a person names it: exactly one of `address` and `key`. */
export interface ListPlace {
  readonly list: ListName
  /** An address or a network: `203.0.113.7`, `203.0.113.0/24`, `2001:db8::/32`. */
  readonly address?: string | undefined
  readonly key?: Key | undefined
  /** @default all limiters */
  readonly limiter?: string | undefined
}

/** An entry as it stands in Redis. */
export interface StoredEntry extends ListPlace {
  readonly endsInMs: number
  /** Milliseconds since 1970. */
  readonly atMs: number | undefined
  readonly why: string | undefined
  readonly by: string | undefined
}

/** The name of a field of the hash: there is one for each place on a list. */
export function nameOf(place: ListPlace): string {
  const { list, network, key, limiter } = readEntry(place, '')
  const written = Array.isArray(key) ? key.map(String) : key === undefined ? null : String(key)
  return JSON.stringify([list, network ?? null, written, limiter ?? null])
}

/** The entries of a hash; malformed ones are counted and left out. */
export function readStored(
  fields: readonly unknown[],
  nowMs: number,
): { readonly entries: readonly StoredEntry[]; readonly malformed: number } {
  const entries: StoredEntry[] = []
  let malformed = 0
  for (let i = 0; i + 1 < fields.length; i += 2) {
    if (fields[i] === '') continue
    const entry = readOne(String(fields[i]), String(fields[i + 1]), nowMs)
    if (entry === undefined) malformed++
    else entries.push(entry)
  }
  return { entries, malformed }
}

const longestMs = 366 * 86_400_000

function readOne(name: string, value: string, nowMs: number): StoredEntry | undefined {
  try {
    const [list, network, key, limiter] = JSON.parse(name) as unknown[]
    const place = {
      list,
      ...(network !== null && { address: network }),
      ...(key !== null && { key }),
      ...(limiter !== null && { limiter }),
    }
    readEntry(place, '')
    const text = readText(value, nowMs)
    if (text === undefined || text.endsInMs > longestMs + 1000) return undefined
    const about = aboutOf(isRecord(text.data) ? text.data : {})
    return { ...(place as ListPlace), endsInMs: text.endsInMs, ...about } // as readEntry has read it
  } catch {
    return undefined
  }
}

/** An entry for a table whose clock shows `nowUs`. */
export function entryOf(stored: StoredEntry, nowUs: number): Entry {
  return { ...readEntry(stored, ''), endsAtUs: nowUs + stored.endsInMs * 1000 }
}
