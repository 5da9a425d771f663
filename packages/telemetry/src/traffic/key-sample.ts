/** Times are kept to this precision: requests of one key within it are kept as one. */
export const slotMs = 100
/** The most items of an entry, and of a second. */
const mostItems = 150
/** The longest time that an entry covers. */
export const entryMs = 10_000
/** The longest time while keys are left out: shorter, so that those are back soon after a flood. */
const halvedEntryMs = 2000
const secondMs = 1000
/** If an entry has fewer items, there is room for more keys. */
const fewItems = mostItems / 4
const allHashes = 2 ** 32
const mostHalvings = 20

/** Requests of one key in one slot of time. */
export interface Item {
  readonly hash: number
  readonly slot: number
  requests: number
  units: number
}

/** The requests that a sample has kept over some seconds: all of the keys whose hash is below a bound. */
export interface Entry {
  readonly fromSlot: number
  /** How often the share of keys was halved. */
  readonly halvings: number
  readonly items: readonly Item[]
}

/**
 * Keeps all requests of some keys, and none of the others. Keys are chosen by their hash, which must be below a bound, so that all
 * processes choose the same ones; the more requests there are, the lower is the bound.
 */
export class KeySample {
  #halvings = 0
  #bound = allHashes
  #fromMs = 0
  /** The latest item of each key. */
  #latest = new Map<number, Item>()
  #items: Item[] = []

  /** Adds a request. Returns the entry that ended before it, if one did; the request is then in the next one. */
  add(hash: number, units: number, nowMs: number): Entry | undefined {
    const ended = this.#endedAt(nowMs)
    if (hash >= this.#bound) return ended
    const slot = Math.floor(nowMs / slotMs)
    const latest = this.#latest.get(hash)
    if (latest?.slot === slot) {
      latest.requests++
      latest.units += units
      return ended
    }
    const item = { hash, slot, requests: 1, units }
    this.#latest.set(hash, item)
    this.#items.push(item)
    if (this.#items.length > mostItems) this.#halve()
    return ended
  }

  /** Ends the entry and returns it; undefined if it is empty. */
  takeOut(): Entry | undefined {
    const items = this.#items
    const [first] = items
    if (first === undefined) return undefined
    const entry = { fromSlot: first.slot, halvings: this.#halvings, items }
    this.#items = []
    this.#latest = new Map()
    return entry
  }

  #endedAt(nowMs: number): Entry | undefined {
    const age = nowMs - this.#fromMs
    const isFull = this.#items.length >= mostItems && age >= secondMs
    if (!isFull && age < (this.#halvings === 0 ? entryMs : halvedEntryMs)) return undefined
    this.#fromMs = nowMs
    const entry = this.takeOut()
    this.#double(entry?.items.length ?? 0)
    return entry
  }

  #halve(): void {
    while (this.#items.length > mostItems && this.#halvings < mostHalvings) {
      this.#setHalvings(this.#halvings + 1)
      this.#items = this.#items.filter(({ hash }) => hash < this.#bound)
    }
    this.#latest = new Map(this.#items.map((item) => [item.hash, item]))
  }

  /** Raises the bound after an entry with so few items that there was room for more keys. */
  #double(items: number): void {
    const times = Math.floor(Math.log2(fewItems / Math.max(1, items)))
    if (this.#halvings > 0 && times > 0) this.#setHalvings(Math.max(0, this.#halvings - times))
  }

  #setHalvings(halvings: number): void {
    this.#halvings = halvings
    this.#bound = allHashes / 2 ** halvings
  }
}
