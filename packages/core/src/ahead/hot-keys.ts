import type { Clock } from '../clock.ts'
import type { Change, Check, Store, StoreRow } from '../store.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import { wakeQuietly } from '../waiting/alarm.ts'
import { HotKey, type UnitsInHand } from './hot-key.ts'

/** How many keys may have units in hand; for further keys none are taken ahead. */
const mostKeys = 10_000

/**
 * The next units are taken at the earliest when half of the time of those in hand has passed; in its last quarter, until an answer was
 * measured.
 */
const mostLead = 2
const firstLead = 4

/** The factor by which a long answer counts less with each answer that follows. */
const leadFades = 0.9

/** This part of the units' time is not used: this process's clock may run that much slower than the store's. */
const clocksDiffer = 1e-3

/** Units that the store has taken, by the row of its answer. */
interface Taken {
  readonly row: StoreRow
  /** The check as it was taken: with all units, of which some may be used already. */
  readonly check: Check
  readonly sentUs: number
  readonly units: number
}

/** All units that this process has for one limiter. Units that are not used in time are given back. */
export class HotKeys {
  readonly aheadUs: number
  readonly clock: Clock
  readonly #store: Pick<Store, 'adjust'>
  readonly #byId = new Map<string, Map<string, HotKey>>()
  #count = 0
  /** The keys with units in hand. */
  readonly #full = new Set<HotKey>()
  /** Refunds that are under way. */
  readonly #goingBack = new Set<Promise<void>>()
  /** How long before their end the next units are taken: twice what an answer took lately. */
  #leadUs: number
  #stopTimer: (() => void) | undefined
  #closed = false

  constructor(store: Pick<Store, 'adjust'>, { aheadUs, clock }: { aheadUs: number; clock: Clock }) {
    this.#store = store
    this.aheadUs = aheadUs
    this.clock = clock
    this.#leadUs = aheadUs / firstLead
  }

  get closed(): boolean {
    return this.#closed
  }

  get units(): number {
    let units = 0
    for (const key of this.#full) units += key.units
    return units
  }

  known({ id, key }: Check): HotKey | undefined {
    return this.#byId.get(id)?.get(key)
  }

  /** The entry of a key, new or not. undefined: there is no room for another key. */
  of(check: Check): HotKey | undefined {
    return this.known(check) ?? (this.#hasRoom() ? this.#add(check) : undefined)
  }

  /** The entry of a key that is being changed: there is one in any case, also without room. */
  ofActOn(check: Check): HotKey {
    return this.of(check) ?? this.#add(check)
  }

  #add({ id, key }: Check): HotKey {
    const ofId = this.#byId.get(id) ?? new Map<string, HotKey>()
    this.#byId.set(id, ofId)
    const hot = new HotKey()
    ofId.set(key, hot)
    this.#count++
    return hot
  }

  /** Whether there is room for another key, if need be in place of the oldest keys that have nothing. */
  #hasRoom(): boolean {
    for (const ofId of this.#byId.values()) {
      for (const [name, key] of ofId) {
        if (this.#count < mostKeys) return true
        ofId.delete(name)
        if (key.isBusy) {
          // The next key that needs room meets another one.
          ofId.set(name, key)
          break
        }
        this.#count--
      }
    }
    return this.#count < mostKeys
  }

  /** Puts units of the key in hand. */
  keep(key: HotKey, taken: Taken): void {
    const replaced = key.add(this.#inHand(taken, key.lately))
    if (replaced !== undefined) void this.adjust([givingBack(replaced)])
    this.#full.add(key)
    this.#arm()
  }

  /** Computes when units end, and when the next ones are taken. `lately`: how many were asked for. */
  #inHand({ row, check, sentUs, units }: Taken, lately: number): UnitsInHand {
    const { aheadUs } = this
    const nowUs = this.clock.nowUs()
    this.#leadUs = Math.min(aheadUs / mostLead, Math.max(2 * (nowUs - sentUs), this.#leadUs * leadFades))
    const { definition, numbers } = partsOf(check.policy)
    const leftUs = definition.ahead?.leftUs?.(numbers, row.resetAfterUs) ?? aheadUs
    const endsUs = sentUs + Math.floor(Math.min(aheadUs, leftUs) * (1 - clocksDiffer))
    const lowUnits = Math.ceil((lately * this.#leadUs) / aheadUs)
    return { units, endsUs, lateUs: endsUs - this.#leadUs, lowUnits, row, takenUs: nowUs, check }
  }

  used(key: HotKey): void {
    if (key.units === 0) this.#full.delete(key)
  }

  /** Gives back the units that may no longer be used at `nowUs`. @default all */
  giveBack(
    keys: readonly (HotKey | undefined)[],
    nowUs: number = Number.POSITIVE_INFINITY,
  ): Promise<void> | undefined {
    let changes: Change[] | undefined
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]
      for (let taken = key?.ended(nowUs); taken !== undefined; taken = key?.ended(nowUs)) {
        if (taken.units === 0) continue
        changes ??= []
        changes.push(givingBack(taken))
      }
      if (key !== undefined) this.used(key)
    }
    return changes === undefined ? undefined : this.adjust(changes)
  }

  /** Never rejects: units that cannot be given back expire with their window. */
  async adjust(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return
    const given = this.#adjust(changes)
    this.#goingBack.add(given)
    await given
    this.#goingBack.delete(given)
  }

  async #adjust(changes: readonly Change[]): Promise<void> {
    try {
      await this.#store.adjust(changes)
    } catch {
      // The store has counted and reported its failure.
    }
  }

  /** Resolves once nothing is in hand of these keys, and the store has heard of all that was given back. */
  async empty(keys: readonly HotKey[]): Promise<void> {
    await Promise.all(keys.map(({ pending }) => pending))
    void this.giveBack(keys)
    await Promise.all(this.#goingBack)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#stopTimer?.()
    await this.giveBack([...this.#full])
    // Units that are still under way are given back when they come.
    const all = [...this.#byId.values()].flatMap((ofId) => [...ofId.values()])
    await Promise.all(all.map(({ pending }) => pending))
  }

  #arm(): void {
    this.#stopTimer ??= wakeQuietly(this.clock, this.aheadUs / 1000, () => this.#ring())
  }

  #ring(): void {
    this.#stopTimer = undefined
    void this.giveBack([...this.#full], this.clock.nowUs())
    if (this.#full.size > 0 && !this.#closed) this.#arm()
  }
}

function givingBack({ check, row, units }: UnitsInHand): Change {
  return { check, receipt: row.receipt, byUnits: -units }
}
