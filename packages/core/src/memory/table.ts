import { isOwnName } from '../key.ts'
import type { AnyStrategy } from '../strategies/definition.ts'
import { Blocks } from './blocks.ts'
import { type Column, columnFor } from './column.ts'
import { EvictionOrder } from './eviction-order.ts'
import { SlotNumbers } from './numbers.ts'
import type { Place, StateTable } from './states.ts'

/** How many keys that were counted anew are remembered: each new one takes the place of the oldest. */
const mostEras = 10_000

/**
 * All keys of one (limiter, policy, strategy). A key has a slot; its state and the numbers that wrote it lie there. A key that is
 * blocked, or whose blocks count on, has a slot too, with a state or without.
 */
export class KeyTable implements StateTable {
  /** '' once the store has removed it. */
  id: string
  readonly definition: AnyStrategy
  /** Changed by the keys that own the room. */
  readonly blocks: Blocks = new Blocks()
  /** Which keys may go, and when. */
  readonly evictionOrder: EvictionOrder = new EvictionOrder()
  /** The one that was asked for after it, last time. */
  next: KeyTable | undefined
  /** The store is about to remove it, should it be unused then. */
  isLeaving = false
  /** Of keys with a state; all bits of the slot are turned over (`~`) where a text that is spelled like the key is another key. */
  readonly #slotOf = new Map<string, number>()
  /** Of keys that are blocked, or were, and have none. */
  readonly #bare = new Map<string, number>()
  readonly #column: Column
  readonly #keys: (string | undefined)[] = []
  readonly #numbers = new SlotNumbers()
  readonly #free: number[] = []
  /** Of keys that were counted anew, or dropped while they still mattered: which count that is. */
  readonly #eras = new Map<string, string>()
  #lastEra = 0
  /** Until when it matters for any of them. */
  #erasUntilUs = 0
  /** When a state was last read, or written without having been read. */
  #latestUs = Number.NEGATIVE_INFINITY
  /** The state that unknown keys share while no stored key may be dropped. */
  #overflow: unknown
  /** A copy of it, for looks: made once, and again after a take. */
  #copy: unknown

  constructor(id: string, definition: AnyStrategy) {
    this.id = id
    this.definition = definition
    this.#column = columnFor(definition)
  }

  /** Slots in use or free: where a sweep ends. */
  get slots(): number {
    return this.#keys.length
  }

  /** true where nothing is lost with it. */
  isUnused(nowUs: number): boolean {
    return this.#free.length === this.slots && this.#erasUntilUs <= nowUs && !this.#overflow
  }

  /** -1 where the key is unknown: its state. */
  find(key: string): number {
    const at = this.#slotOf.get(key)
    return at === undefined ? -1 : at < 0 ? ~at : at
  }

  /** The same for a text that is stored as it is; below 0 for any other. */
  findText(text: string): number {
    return this.#slotOf.get(text) ?? -1
  }

  findAgain(key: string, slot: number): number {
    return this.#keys[slot] === key ? slot : this.find(key)
  }

  /** -1 where the key has neither a state nor a block. */
  slotOf(key: string): number {
    const slot = this.find(key)
    return slot < 0 ? this.findBare(key) : slot
  }

  /** The slot of a key that is blocked and has no state; -1: there is none. */
  findBare(key: string): number {
    return this.#bare.size === 0 ? -1 : (this.#bare.get(key) ?? -1)
  }

  /**
   * What a slot holds, repaired; nothing once its life is over, which other numbers could let it live longer than. An unknown
   * key's state is a copy of what all of them share, where they do. Good until the next call.
   */
  stateAt(slot: number, numbers: unknown, nowUs: number): unknown {
    const isBack = nowUs < this.#latestUs
    if (!isBack) this.#latestUs = nowUs
    if (slot < 0) return this.#sharedState(numbers, nowUs)
    const differ = this.#numbers.differ(numbers) && this.#numbers.at(slot) !== numbers
    // What these numbers have written at no later time lies no further ahead than they allow.
    if (!differ && !isBack) return this.#column.load(slot)
    if (differ && this.#isSpent(slot, nowUs)) return undefined
    return this.#repairedAt(slot, numbers, nowUs)
  }

  /** true where these numbers have written a slot's state, at no later time: it needs no repair, and `storedAt` is what `stateAt` would be. */
  isWrittenBy(numbers: unknown, slot: number, nowUs: number): boolean {
    if (nowUs < this.#latestUs || this.#numbers.at(slot) !== numbers) return false
    this.#latestUs = nowUs
    return true
  }

  #repairedAt(slot: number, numbers: unknown, nowUs: number): unknown {
    const state = this.#column.load(slot)
    const repaired: unknown = this.definition.repair?.(numbers, state, nowUs) ?? state
    if (repaired === state) return state
    this.save(slot, repaired, numbers)
    this.note(slot, nowUs)
    return repaired
  }

  /** All states, where this slot's is nothing but numbers. */
  values(slot: number): Float64Array | undefined {
    return this.#column.values(slot)
  }

  /** The state of a slot that has one, not repaired. */
  storedAt(slot: number): unknown {
    return this.#column.load(slot)
  }

  /** The numbers that wrote a slot's state. */
  numbersAt(slot: number): unknown {
    return this.#numbers.at(slot)
  }

  #sharedState(numbers: unknown, nowUs: number): unknown {
    if (this.#overflow === undefined) return undefined
    if (this.definition.idleUs(numbers, this.#overflow, nowUs) <= 0) {
      this.share(undefined)
      return undefined
    }
    this.#copy ??= structuredClone(this.#overflow)
    const copy = this.#copy
    const repaired: unknown = this.definition.repair?.(numbers, copy, nowUs) ?? copy
    if (repaired !== copy) this.#copy = undefined
    return repaired
  }

  /** From here on this is what unknown keys share. */
  share(state: unknown): void {
    this.#overflow = state
    this.#copy = undefined
  }

  eraOf(key: string): string {
    return this.#eras.size === 0 ? '' : (this.#eras.get(key) ?? '')
  }

  /** false where `isMarked` is false for every key. */
  get hasMarks(): boolean {
    return this.blocks.size > 0 || this.#eras.size > 0
  }

  /** The key is blocked, or was counted anew. */
  isMarked(key: string, nowUs: number): boolean {
    return this.blocks.restUs(key, nowUs) > 0 || this.#eras.has(key)
  }

  /** true where the key has no state of its own, and unknown keys share one. */
  shares(key: string): boolean {
    return this.#overflow !== undefined && this.find(key) < 0
  }

  inUse(slot: number): boolean {
    return this.#keys[slot] !== undefined
  }

  /** To be followed by `note`, unless it is known to change nothing. */
  save(slot: number, state: unknown, numbers: unknown): void {
    this.#column.save(slot, state)
    if (this.#numbers.differ(numbers)) this.#numbers.note(slot, numbers, this.slots)
  }

  amend(slot: number, state: unknown, { nowUs }: Pick<Place, 'nowUs'>): void {
    this.#column.save(slot, state)
    this.note(slot, nowUs)
  }

  /** A slot for the state of a key that has none: the one of its block, where it has one. */
  add(key: string): number {
    const bare = this.findBare(key)
    const slot = bare < 0 ? this.#newSlot(key) : bare
    if (bare >= 0) this.#bare.delete(key)
    this.#slotOf.set(key, isOwnName(key) ? slot : ~slot)
    this.#column.reserve(slot)
    // What it has taken from is its own from here on.
    this.#copy = undefined
    return slot
  }

  /** A slot for the block of a key that has none. */
  addBare(key: string): number {
    const slot = this.#newSlot(key)
    this.#bare.set(key, slot)
    return slot
  }

  #newSlot(key: string): number {
    const slot = this.#free.pop() ?? this.#keys.length
    this.#keys[slot] = key
    return slot
  }

  /** From here on the key is another count than before. That matters as long as its state does, which goes or has come. */
  countAnew(key: string): void {
    const nowUs = this.#latestUs
    if (this.#erasUntilUs <= nowUs) this.#eras.clear()
    this.#erasUntilUs = Math.max(this.#erasUntilUs, nowUs + this.#lifeUs(this.find(key), nowUs))
    this.#eras.delete(key)
    this.#eras.set(key, `${++this.#lastEra}`)
    if (this.#eras.size > mostEras) this.#eras.delete(this.#eras.keys().next().value as string) // there are some
  }

  /** `isIdle`: nothing is lost with it, and a key that comes again is no other count. */
  drop(slot: number, isIdle = false): void {
    const key = this.#keys[slot]
    if (key === undefined) return
    if (!isIdle && !this.#isBare(slot)) this.countAnew(key)
    this.#slotOf.delete(key)
    this.#bare.delete(key)
    this.blocks.delete(key)
    this.evictionOrder.forget(slot)
    this.#keys[slot] = undefined
    this.#column.clear(slot)
    this.#free.push(slot)
  }

  /** After whatever changes when a slot may go. */
  note(slot: number, nowUs: number): void {
    if (nowUs > this.#latestUs) this.#latestUs = nowUs
    const us = this.exhaustedUs(slot, nowUs)
    if (us === 0) this.evictionOrder.open(slot)
    else this.evictionOrder.close(slot, nowUs + us, this.blocks.of(this.keyAt(slot), nowUs)?.byHand === true)
  }

  keyAt(slot: number): string {
    return this.#keys[slot] ?? ''
  }

  /** true where nothing would be lost with it. */
  isIdle(slot: number, nowUs: number): boolean {
    const key = this.keyAt(slot)
    if (this.blocks.restUs(key, nowUs) > 0 || this.blocks.countOf(key, nowUs) !== undefined) return false
    return this.#isBare(slot) || this.#isSpent(slot, nowUs)
  }

  /** true where the state has expired; the key may still be blocked. */
  #isSpent(slot: number, nowUs: number): boolean {
    return this.#lifeUs(slot, nowUs) <= 0
  }

  #lifeUs(slot: number, nowUs: number): number {
    return this.definition.idleUs(this.#numbers.at(slot), this.#column.load(slot), nowUs)
  }

  #isBare(slot: number): boolean {
    return this.findBare(this.keyAt(slot)) === slot
  }

  /** Until a cost of 1 would be admitted; 0 when it would be now. */
  exhaustedUs(slot: number, nowUs: number): number {
    const blockedUs = this.blocks.restUs(this.keyAt(slot), nowUs)
    if (this.#isBare(slot)) return blockedUs
    const state = this.#column.load(slot)
    const { allowed, retryAfterUs } = this.definition.look(this.#numbers.at(slot), state, nowUs, 1)
    return allowed ? blockedUs : Math.max(blockedUs, retryAfterUs ?? Number.POSITIVE_INFINITY)
  }
}
