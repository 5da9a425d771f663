import { isOwnName } from '../key.ts'
import type { AnyStrategy } from '../strategies/definition.ts'
import { Blocks } from './blocks.ts'
import { type Column, columnFor, SlotNumbers } from './column.ts'
import { EvictionOrder } from './eviction-order.ts'
import type { Place, StateTable } from './states.ts'

/** How many eras are remembered: each new one takes the place of the oldest. */
const mostEras = 10_000

/**
 * All keys of one (limiter, policy, strategy). A key has a slot; its state and the numbers that wrote it lie there. A key that is
 * blocked, or whose past blocks still count, has a slot too, with a state or without.
 */
export class KeyTable implements StateTable {
  /** '' once the store has removed the table. */
  id: string
  readonly definition: AnyStrategy
  /** Only `Keys` sets a block here, as a block needs room for its key. */
  readonly blocks: Blocks = new Blocks()
  /** Which keys may go, and when. */
  readonly evictionOrder: EvictionOrder = new EvictionOrder()
  /** The table that `Keys` was asked for after this one, last time. */
  next: KeyTable | undefined
  /** Whether the store is about to remove the table, if it is still unused then. */
  isLeaving = false
  /** Slots of keys with a state. All bits of the slot are inverted (`~`) if a text that is spelled like the key is another key. */
  readonly #slotOf = new Map<string, number>()
  /** Slots of keys without a state that are blocked, or whose past blocks still count. */
  readonly #bare = new Map<string, number>()
  readonly #column: Column
  readonly #keys: (string | undefined)[] = []
  readonly #numbers = new SlotNumbers()
  readonly #free: number[] = []
  /** By key that was reset, set, or dropped while its state mattered: its era. Receipts name it, so no refund reaches a later era. */
  readonly #eras = new Map<string, string>()
  #lastEra = 0
  /** When the last of the eras ceases to matter. */
  #erasUntilUs = 0
  /** The latest time at which a state was read or noted: a call with an earlier time comes after a step back of the clock. */
  #latestUs = Number.NEGATIVE_INFINITY
  /** The state that unknown keys share while no stored key may be dropped. */
  #overflow: unknown
  /** A copy of `#overflow` for looks: made once, and again after a take. */
  #copy: unknown

  constructor(id: string, definition: AnyStrategy) {
    this.id = id
    this.definition = definition
    this.#column = columnFor(definition)
  }

  /** The number of slots, in use or free: a sweep ends there. */
  get slots(): number {
    return this.#keys.length
  }

  /** Whether the table can be removed without losing a key, an era or the shared state. */
  isUnused(nowUs: number): boolean {
    return this.#free.length === this.slots && this.#erasUntilUs <= nowUs && !this.#overflow
  }

  find(key: string): number {
    const at = this.#slotOf.get(key)
    return at === undefined ? -1 : at < 0 ? ~at : at
  }

  /** The same for a key's text, not encoded; below 0 also if the key is stored under another name than its text. */
  findText(text: string): number {
    return this.#slotOf.get(text) ?? -1
  }

  findAgain(key: string, slot: number): number {
    return this.#keys[slot] === key ? slot : this.find(key)
  }

  /** The slot of the key's state or block; -1 if it has neither. */
  slotOf(key: string): number {
    const slot = this.find(key)
    return slot < 0 ? this.findBare(key) : slot
  }

  /** The slot of a key that is blocked and has no state; -1: there is none. */
  findBare(key: string): number {
    return this.#bare.size === 0 ? -1 : (this.#bare.get(key) ?? -1)
  }

  /**
   * The state in a slot, repaired. A state that other numbers wrote is undefined once its life by those is over, even if `numbers` would
   * let it live longer. An unknown key gets a copy of the state that such keys share, if there is one. Good until the next call.
   */
  stateAt(slot: number, numbers: unknown, nowUs: number): unknown {
    const isBack = nowUs < this.#latestUs
    if (!isBack) this.#latestUs = nowUs
    if (slot < 0) return this.#sharedState(numbers, nowUs)
    const differ = this.#numbers.differ(numbers) && this.#numbers.at(slot) !== numbers
    // A state that these numbers wrote, and not later than now, lies no further ahead than they allow.
    if (!differ && !isBack) return this.#column.load(slot)
    if (differ && this.#isSpent(slot, nowUs)) return undefined
    return this.#repairedAt(slot, numbers, nowUs)
  }

  /** Whether these numbers wrote the slot's state, and not later than now: then it needs no repair, and `storedAt` equals `stateAt`. */
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

  /** The array of all states; undefined if this slot's state is more than numbers. */
  values(slot: number): Float64Array | undefined {
    return this.#column.values(slot)
  }

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

  /** Sets the state that unknown keys share from now on. */
  share(state: unknown): void {
    this.#overflow = state
    this.#copy = undefined
  }

  eraOf(key: string): string {
    return this.#eras.size === 0 ? '' : (this.#eras.get(key) ?? '')
  }

  /** Whether `isMarked` may be true for any key. */
  get hasMarks(): boolean {
    return this.blocks.size > 0 || this.#eras.size > 0
  }

  isMarked(key: string, nowUs: number): boolean {
    return this.blocks.restUs(key, nowUs) > 0 || this.#eras.has(key)
  }

  /** Whether the key has no state of its own, and counts in the one that unknown keys share. */
  shares(key: string): boolean {
    return this.#overflow !== undefined && this.find(key) < 0
  }

  inUse(slot: number): boolean {
    return this.#keys[slot] !== undefined
  }

  /** The caller calls `note` afterwards, unless that is known to change nothing. */
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
    // The state that the caller saves here may be this copy, changed in place: it is the key's own from now on.
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

  /** Gives the key a new era, which matters as long as the key's state does: the one about to be dropped, or the one just stored. */
  countAnew(key: string): void {
    const nowUs = this.#latestUs
    if (this.#erasUntilUs <= nowUs) this.#eras.clear()
    this.#erasUntilUs = Math.max(this.#erasUntilUs, nowUs + this.#lifeUs(this.find(key), nowUs))
    this.#eras.delete(key)
    this.#eras.set(key, `${++this.#lastEra}`)
    if (this.#eras.size > mostEras) this.#eras.delete(this.#eras.keys().next().value as string) // there are some
  }

  /** `isIdle`: nothing is lost with the slot, so the key needs no new era. */
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

  /** Updates the eviction order; called after every change that may move the time at which the slot may be evicted. */
  note(slot: number, nowUs: number): void {
    if (nowUs > this.#latestUs) this.#latestUs = nowUs
    const us = this.exhaustedUs(slot, nowUs)
    if (us === 0) this.evictionOrder.open(slot)
    else this.evictionOrder.close(slot, nowUs + us, this.blocks.of(this.keyAt(slot), nowUs)?.byHand === true)
  }

  keyAt(slot: number): string {
    return this.#keys[slot] ?? ''
  }

  /** Whether the slot can be dropped without losing a count or a block. */
  isIdle(slot: number, nowUs: number): boolean {
    const key = this.keyAt(slot)
    if (this.blocks.restUs(key, nowUs) > 0 || this.blocks.countOf(key, nowUs) !== undefined) return false
    return this.#isBare(slot) || this.#isSpent(slot, nowUs)
  }

  /** Whether the state has expired; the key may still be blocked. */
  #isSpent(slot: number, nowUs: number): boolean {
    return this.#lifeUs(slot, nowUs) <= 0
  }

  #lifeUs(slot: number, nowUs: number): number {
    return this.definition.idleUs(this.#numbers.at(slot), this.#column.load(slot), nowUs)
  }

  #isBare(slot: number): boolean {
    return this.findBare(this.keyAt(slot)) === slot
  }

  /** Time until a cost of 1 would be admitted; 0 if it would be now. */
  exhaustedUs(slot: number, nowUs: number): number {
    const blockedUs = this.blocks.restUs(this.keyAt(slot), nowUs)
    if (this.#isBare(slot)) return blockedUs
    const state = this.#column.load(slot)
    const { allowed, retryAfterUs } = this.definition.look(this.#numbers.at(slot), state, nowUs, 1)
    return allowed ? blockedUs : Math.max(blockedUs, retryAfterUs ?? Number.POSITIVE_INFINITY)
  }
}
