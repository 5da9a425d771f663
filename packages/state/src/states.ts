import type { Check } from '@sluice/core'
import { type definitions, onStates, partsOf } from '@sluice/core/internal'
import { readStored, type Stored, writeStored } from './stored.ts'

/** A state that takes the place of one that was read. */
export interface StateWrite {
  readonly key: string
  /** null: the key's state is removed. */
  readonly state: string | null
  /** How long the state matters from now on: at least 1, and 0 where nothing is kept. */
  readonly ttlMs: number
}

/** The longest life of a state. Strategies ask for far less. */
const longestLifeUs = 200 * 366 * 86_400e6

interface StateEntry {
  /** The key's name in the database. */
  readonly name: string
  readonly key: string
  readonly text: string | null
  state: unknown
  lifeEndUs: number
  /** Identifies the count of the key: a key that is counted anew gets another era. */
  era: string
  changed: boolean
}

/** States of one (limiter, policy, strategy) that a transaction has read. */
class ReadTable implements onStates.StateTable {
  readonly definition: definitions.AnyStrategy
  readonly blocks: onStates.Blocks = new onStates.Blocks()
  readonly entries: StateEntry[] = []
  readonly #slotOf = new Map<string, number>()
  readonly #newEra: string
  /** How often a key was counted anew in this transaction: its calls may each reset one. */
  #anew = 0

  constructor(definition: definitions.AnyStrategy, newEra: string) {
    this.definition = definition
    this.#newEra = newEra
  }

  add(
    about: Pick<StateEntry, 'name' | 'key' | 'text'>,
    { state, lifeEndUs, era, block, count }: Stored,
  ): void {
    this.#slotOf.set(about.key, this.entries.length)
    this.entries.push({ ...about, state, lifeEndUs, era: lifeEndUs > 0 ? era : this.#newEra, changed: false })
    if (block !== undefined) this.blocks.set(about.key, block)
    if (count !== undefined) this.blocks.count(about.key, count)
  }

  find(key: string): number {
    const slot = this.#slotOf.get(key) ?? -1
    return (this.entries[slot]?.lifeEndUs ?? 0) > 0 ? slot : -1
  }

  findAgain(key: string): number {
    return this.find(key)
  }

  stateAt(slot: number, numbers: unknown, nowUs: number): unknown {
    const entry = this.entries[slot]
    if (entry === undefined) return undefined
    const repaired: unknown = this.definition.repair?.(numbers, entry.state, nowUs) ?? entry.state
    if (repaired !== entry.state) this.#write(entry, repaired, this.#lifeEndUs(numbers, repaired, nowUs))
    return repaired
  }

  storedAt(slot: number): unknown {
    return this.entries[slot]?.state
  }

  amend(slot: number, state: unknown, { numbers, nowUs }: Pick<onStates.Place, 'numbers' | 'nowUs'>): void {
    const entry = this.entries[slot]
    if (entry === undefined) return
    entry.changed = true
    if (state === entry.state) return
    // The life gets as much shorter as it does by these numbers: by those of another policy it may be longer.
    const before = this.#lifeEndUs(numbers, entry.state, nowUs)
    const after = this.#lifeEndUs(numbers, state, nowUs)
    this.#write(entry, state, after === 0 ? 0 : entry.lifeEndUs - Math.max(0, before - after))
  }

  eraOf(key: string): string {
    return this.entries[this.#slotOf.get(key) ?? -1]?.era ?? this.#newEra
  }

  note(slot: number): void {
    const entry = this.entries[slot]
    if (entry !== undefined) entry.changed = true
  }

  save(key: string, state: unknown, { numbers, nowUs }: { numbers: unknown; nowUs: number }): void {
    this.#write(this.#entryOf(key), state, this.#lifeEndUs(numbers, state, nowUs))
  }

  forget(key: string): void {
    const entry = this.#entryOf(key)
    entry.era = `${this.#newEra}${this.#anew++}`
    this.#write(entry, undefined, 0)
  }

  block(key: string, block: onStates.Block): void {
    this.blocks.set(key, block)
    this.#entryOf(key).changed = true
  }

  unblock(key: string): void {
    this.blocks.delete(key)
    this.#entryOf(key).changed = true
  }

  drop(key: string): void {
    this.unblock(key)
    this.forget(key)
  }

  #entryOf(key: string): StateEntry {
    const entry = this.entries[this.#slotOf.get(key) ?? -1]
    if (entry === undefined) throw new Error('a transaction writes a key that it has not read')
    return entry
  }

  /** 0 where the life is over already: other questions of the same call find no state either. */
  #lifeEndUs(numbers: unknown, state: unknown, nowUs: number): number {
    const lifeUs = Math.min(longestLifeUs, Math.ceil(this.definition.idleUs(numbers, state, nowUs)))
    return lifeUs > 0 ? nowUs + lifeUs : 0
  }

  #write(entry: StateEntry, state: unknown, lifeEndUs: number): void {
    entry.state = state
    entry.lifeEndUs = lifeEndUs
    entry.changed = true
  }

  /** The writes of entries that were changed and whose text differs from the one that was read. */
  *writes(nowUs: number): Generator<StateWrite> {
    for (const { name: key, key: blocked, text, state, lifeEndUs, era, changed } of this.entries) {
      if (!changed) continue
      const block = this.blocks.of(blocked, nowUs)
      const count = this.blocks.countOf(blocked, nowUs)
      const endUs = Math.max(lifeEndUs, block?.untilUs ?? 0, count?.untilUs ?? 0)
      const ttlMs = Math.ceil((endUs - nowUs) / 1000)
      if (ttlMs <= 0) {
        if (text !== null) yield { key, state: null, ttlMs: 0 }
        continue
      }
      const written = writeStored(this.definition, { state, lifeEndUs, era, block, count })
      if (written !== text) yield { key, state: written, ttlMs }
    }
  }
}

/** The states that one transaction has read, and its changes to them. */
export class ReadStates implements onStates.States<ReadTable> {
  readonly #tables = new Map<string, ReadTable>()
  readonly #nowUs: number
  readonly #newEra: string

  /** `newEra` marks keys that are counted anew in this transaction. */
  constructor(nowUs: number, newEra: string) {
    this.#nowUs = nowUs
    this.#newEra = newEra
  }

  add(check: Check, name: string, text: string | null): void {
    const table = this.tableOf(check)
    table.add({ name, key: check.key, text }, readStored(table.definition, text, this.#nowUs))
  }

  tableOf({ id, policy }: Check): ReadTable {
    let table = this.#tables.get(id)
    if (table === undefined) {
      table = new ReadTable(partsOf(policy).definition, this.#newEra)
      this.#tables.set(id, table)
    }
    return table
  }

  save({ check, table, numbers, nowUs }: onStates.Place<ReadTable>, state: unknown): void {
    table.save(check.key, state, { numbers, nowUs })
  }

  replace(place: onStates.Place<ReadTable>, state: unknown): void {
    place.table.forget(place.check.key)
    if (state !== undefined) this.save(place, state)
  }

  block(check: Check, block: onStates.Block): void {
    this.tableOf(check).block(check.key, block)
  }

  unblock(check: Check): void {
    this.tableOf(check).unblock(check.key)
  }

  drop(check: Check): void {
    this.tableOf(check).drop(check.key)
  }

  get writes(): readonly StateWrite[] {
    return [...this.#tables.values()].flatMap((table) => [...table.writes(this.#nowUs)])
  }
}
