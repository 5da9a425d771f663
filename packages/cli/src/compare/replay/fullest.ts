import { Counts } from './counts.ts'

/** The largest sum found, its key, and the time of its last request. */
export interface FullestSpan {
  readonly sum: number
  readonly key: number
  readonly atUs: number
}

/**
 * Finds the fullest span of one length: the most units of one key in any (t − span, t]. Exact while at most `room` requests
 * come in a span; beyond that, the oldest are dropped early and the result may be too low.
 */
export class Fullest {
  readonly #spanUs: number
  readonly #room: number
  readonly #sums = new Counts()
  #atUs = new Float64Array(64)
  #keys = new Uint32Array(64)
  #units = new Float64Array(64)
  #oldest = 0
  #size = 0
  #forgot = false
  #found: FullestSpan = { sum: 0, key: 0, atUs: 0 }

  constructor(spanUs: number, room: number = 4_000_000) {
    this.#spanUs = spanUs
    this.#room = room
  }

  get found(): FullestSpan {
    return this.#found
  }

  /** Whether more requests came than there was room for. */
  get forgot(): boolean {
    return this.#forgot
  }

  /** Times must not decrease. Returns the sum of that key in the span that ends now. */
  add(atUs: number, units: number, key: number = 0): number {
    while (this.#size > 0 && (this.#atUs[this.#oldest] ?? 0) <= atUs - this.#spanUs) this.#dropOldest()
    this.#push(atUs, units, key)
    const sum = this.#sums.add(key, units)
    if (sum > this.#found.sum) this.#found = { sum, key, atUs }
    return sum
  }

  #push(atUs: number, units: number, key: number): void {
    if (this.#size === this.#room) {
      this.#forgot = true
      this.#dropOldest()
    }
    if (this.#size === this.#atUs.length) this.#grow()
    const place = (this.#oldest + this.#size++) % this.#atUs.length
    this.#atUs[place] = atUs
    this.#units[place] = units
    this.#keys[place] = key
  }

  #dropOldest(): void {
    this.#sums.add(this.#keys[this.#oldest] ?? 0, -(this.#units[this.#oldest] ?? 0))
    this.#oldest = (this.#oldest + 1) % this.#atUs.length
    this.#size--
  }

  #grow(): void {
    const places = Array.from({ length: this.#size }, (_, i) => (this.#oldest + i) % this.#size)
    const larger = this.#size * 2
    const [atUs, keys, units] = [this.#atUs, this.#keys, this.#units]
    this.#atUs = new Float64Array(larger)
    this.#keys = new Uint32Array(larger)
    this.#units = new Float64Array(larger)
    for (const [i, place] of places.entries()) {
      this.#atUs[i] = atUs[place] ?? 0
      this.#keys[i] = keys[place] ?? 0
      this.#units[i] = units[place] ?? 0
    }
    this.#oldest = 0
  }
}
