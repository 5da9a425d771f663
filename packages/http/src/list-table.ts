import type { Clock, Key, Listed, ListName } from '@sluice/core'
import { encodeKey, isKey, oneOf, optionError, realClock, strongerOf } from '@sluice/core/internal'
import { addressGroups, addressText, firstBits, type Groups, unmapped } from './address.ts'
import { type Network, readNetwork } from './cidr.ts'
import { addTo } from './lists-by-key.ts'

/** Most entries of one source of lists. */
export const mostEntries = 10_000

/** An entry of a list: an address or a network, or a key. */
export interface Entry {
  readonly list: ListName
  /** In its canonical spelling; undefined for a key. */
  readonly network: string | undefined
  readonly key: Key | undefined
  /** undefined: the entry holds for all limiters. */
  readonly limiter: string | undefined
  /** By the clock of the table. */
  readonly endsAtUs: number
}

/** An entry as a person writes it. */
interface EntryFields {
  readonly list: unknown
  readonly address?: unknown
  readonly key?: unknown
  readonly limiter?: unknown
}

/** Checks what was written; throws an OptionError whose path begins with `path`. */
export function readEntry(fields: EntryFields, path: string): Omit<Entry, 'endsAtUs'> {
  const { address, key, limiter } = fields
  const list = oneOf(fields.list, `${path}list`, ['deny', 'block', 'allow'])
  if ((address === undefined) === (key === undefined))
    throw optionError(`${path}address`, 'either an address or a key', address)
  if (limiter !== undefined && (typeof limiter !== 'string' || limiter === '' || limiter.length > 100))
    throw optionError(`${path}limiter`, 'the name of a limiter, of 1 to 100 characters', limiter)
  if (key !== undefined && !isKey(key))
    throw optionError(`${path}key`, 'a key: a string, or a list of strings', key)
  const network = address === undefined ? undefined : networkText(readAddress(address, `${path}address`))
  return { list, network, key, limiter }
}

function readAddress(address: unknown, path: string): Network {
  const written = address as string // whatever it is: what is no text is refused
  return readNetwork(written, (expected) => {
    throw optionError(path, expected, address)
  })
}

function networkText({ first, bits }: Network): string {
  const text = addressText(first)
  return bits === 16 * first.length ? text : `${text}/${bits}`
}

/** Entries as they are looked up: made when the lists change, never by a request. */
export class ListTable {
  readonly #clock: Clock
  readonly #keys = new Map<string, Entry[]>()
  /** By the number of leading bits, then by these bits. */
  readonly #ipv4 = new Map<number, Map<string, Entry[]>>()
  readonly #ipv6 = new Map<number, Map<string, Entry[]>>()

  constructor(entries: readonly Entry[], clock: Clock = realClock) {
    this.#clock = clock
    for (const entry of entries) this.#add(entry)
  }

  #add(entry: Entry): void {
    if (entry.network === undefined) {
      if (entry.key !== undefined) addTo(this.#keys, encodeKey(entry.key), entry)
      return
    }
    const { first, bits } = readAddress(entry.network, 'address')
    const family = first.length === 2 ? this.#ipv4 : this.#ipv6
    const networks = family.get(bits) ?? new Map<string, Entry[]>()
    family.set(bits, networks)
    addTo(networks, first.join(), entry)
  }

  /** `address`: of a connection, or what a trusted proxy says. */
  ofAddress(address: string, limiter: string): Listed | undefined {
    if (this.#ipv4.size === 0 && this.#ipv6.size === 0) return undefined
    const groups = addressGroups(address)
    return groups === undefined ? undefined : this.#ofGroups(unmapped(groups), limiter)
  }

  /** A key that is an address is refused with its network, but never allowed: a client may have chosen it as its name. */
  ofKey(key: Key, limiter: string): Listed | undefined {
    const own = this.#keys.size === 0 ? undefined : this.#applying(this.#keys.get(encodeKey(key)), limiter)
    const around = typeof key === 'string' ? this.ofAddress(key, limiter) : undefined
    return around === undefined || around.list === 'allow' ? own : strongerOf(own, around)
  }

  #ofGroups(groups: Groups, limiter: string): Listed | undefined {
    let found: Listed | undefined
    for (const [bits, networks] of groups.length === 2 ? this.#ipv4 : this.#ipv6)
      found = strongerOf(found, this.#applying(networks.get(firstBits(groups, bits).join()), limiter))
    return found
  }

  #applying(entries: readonly Entry[] | undefined, limiter: string): Listed | undefined {
    if (entries === undefined) return undefined
    const nowUs = this.#clock.nowUs()
    let found: Listed | undefined
    for (const { list, limiter: only, endsAtUs } of entries) {
      if (endsAtUs <= nowUs || (only !== undefined && only !== limiter)) continue
      found = strongerOf(found, { list, endsInMs: Math.ceil((endsAtUs - nowUs) / 1000) })
    }
    return found
  }
}
