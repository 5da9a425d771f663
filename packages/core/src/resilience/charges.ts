import type { Policy } from '../policy.ts'
import type { Change, Check } from '../store.ts'
import { horizonUs } from '../strategies/horizon.ts'

/** What the store has taken from a key and this process's memory has not counted yet. */
interface Charged {
  readonly policy: Policy
  units: number
  /** Of the latest of them: all count from then, as that never lets pass more. */
  atUs: number
  /** How far apart units may lie that are counted as one. */
  readonly togetherUs: number
}

/** Such a part of the time that a policy remembers is one instant: an outage may find a key that much fuller than it was. */
const instants = 64

/**
 * Units that the store took while it answers, to be counted in this process's memory once it is asked for the key. A busy key is
 * noted many times and counted once; what has expired by then is never counted.
 */
export class Charges {
  readonly #most: number
  readonly #count: (change: Change, atUs: number) => void
  readonly #byId = new Map<string, Map<string, Charged>>()
  #latestId = ''
  #latest = new Map<string, Charged>()
  #size = 0

  /** Of `most` keys, each new one takes the place of the one that was noted first, which is counted. */
  constructor(most: number, count: (change: Change, atUs: number) => void) {
    this.#most = most
    this.#count = count
  }

  get size(): number {
    return this.#size
  }

  *[Symbol.iterator](): Generator<Pick<Check, 'id' | 'key' | 'policy'>> {
    for (const [id, keys] of this.#byId) {
      for (const [key, { policy }] of keys) yield { id, key, policy }
    }
  }

  add({ id, key, policy }: Check, units: number, nowUs: number): void {
    const keys = this.#keysOf(id)
    const charged = keys.get(key)
    if (charged !== undefined && charged.policy === policy && nowUs - charged.atUs <= charged.togetherUs) {
      charged.units += units
      charged.atUs = nowUs
      return
    }
    if (charged !== undefined) this.count({ id, key })
    else if (this.#size >= this.#most) this.#countFirst(id)
    keys.set(key, { policy, units, atUs: nowUs, togetherUs: horizonUs(policy) / instants })
    this.#size++
  }

  /** What is noted of the key is counted from here on. */
  count({ id, key }: Pick<Check, 'id' | 'key'>): void {
    const charged = this.#take(id, key)
    if (charged !== undefined) this.#countNow(id, key, charged)
  }

  #countNow(id: string, key: string, { policy, units, atUs }: Charged): void {
    const check: Check = {
      id,
      key,
      policy,
      cost: units,
      note: undefined,
      shadow: false,
      onStoreFailure: 'local',
    }
    this.#count({ check, receipt: null, byUnits: units }, atUs)
  }

  /** The key begins anew. */
  forget({ id, key }: Check): void {
    this.#take(id, key)
  }

  #take(id: string, key: string): Charged | undefined {
    if (this.#size === 0) return undefined
    const keys = this.#keysOf(id)
    const charged = keys.get(key)
    if (charged !== undefined && keys.delete(key)) this.#size--
    return charged
  }

  /** Of the same policy, or of any. */
  #countFirst(id: string): void {
    const [own] = this.#keysOf(id).keys()
    const [first] = own === undefined ? this : [{ id, key: own }]
    if (first !== undefined) this.count(first)
  }

  #keysOf(id: string): Map<string, Charged> {
    if (id === this.#latestId) return this.#latest
    const keys = this.#byId.get(id) ?? new Map<string, Charged>()
    this.#byId.set(id, keys)
    this.#latestId = id
    this.#latest = keys
    return keys
  }
}
