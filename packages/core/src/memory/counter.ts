import type { Clock } from '../clock.ts'
import { encodeKey } from '../key.ts'
import { makeRow, rowOfDraft } from '../row.ts'
import type { Check, Counted, Counter, StoreRow } from '../store.ts'
import type { Packed, StrategyDraft } from '../strategies/definition.ts'
import { type PolicyParts, partsOf, receiptOf, withEra } from '../strategies/policy-parts.ts'
import type { Keys } from './keys.ts'
import type { KeyTable } from './table.ts'
import type { TwoPhases } from './two-phases.ts'

/** The part of a store that its counters use. */
export interface CountedBy {
  readonly clock: Clock
  readonly keys: Keys
}

/**
 * The short way for what most callers ask: one unit of a known key that is not blocked and is counted by one policy alone.
 * Everything else takes the way of all checks, `TwoPhases`.
 */
export class MemoryCounter implements Counter {
  readonly #store: CountedBy
  readonly #phases: TwoPhases
  #table: KeyTable
  readonly #counted: Counted
  readonly #parts: PolicyParts
  /** undefined: the strategy has no `takeOne`, or a refusal may make a block. */
  readonly #packed: Packed<unknown> | undefined
  readonly #call = { nowUs: 0, id: '', note: '' }

  constructor(store: CountedBy, phases: TwoPhases, counted: Counted) {
    this.#store = store
    this.#phases = phases
    this.#table = store.keys.tableOf(counted)
    this.#counted = counted
    this.#parts = partsOf(counted.policy)
    const { definition, blocking } = this.#parts
    this.#packed = blocking === undefined && definition.packed?.takeOne ? definition.packed : undefined
  }

  /**
   * One long function: V8 inlines functions of up to 460 bytes of bytecode, and 920 bytes into one caller. This one is longer, so it is
   * compiled by itself, with what it calls. If it were inlined, the code of the decision would no longer be inlined into the same caller.
   */
  take(key: string): StoreRow {
    const nowUs = this.#store.clock.nowUs()
    const { numbers } = this.#parts
    const table = this.#table
    const slot = table.findText(key)
    if (
      slot < 0 ||
      !table.isWrittenBy(numbers, slot, nowUs) ||
      (table.hasMarks && table.isMarked(key, nowUs))
    )
      return this.#takeAny(key, nowUs)
    const packed = this.#packed
    const values = packed && table.values(slot)
    let row: StoreRow | undefined = values && packed?.takeOne?.(numbers, values, slot * packed.width, nowUs)
    if (row === undefined) {
      // What `TwoPhases` does for such a key.
      const { definition, blocking } = this.#parts
      const state = table.storedAt(slot)
      const draft: StrategyDraft = definition.look(numbers, state, nowUs, 1)
      if (draft.allowed) {
        this.#call.nowUs = nowUs
        const taken: unknown = definition.take(state, draft, this.#call)
        const receipt = receiptOf(definition, taken, draft)
        table.save(slot, taken, numbers)
        row = makeRow(draft, null, withEra(this.#parts, '', receipt))
      } else if (blocking === undefined && definition.begin === undefined) {
        row = rowOfDraft(draft)
      } else {
        // A refusal may make a block, or a state.
        return this.#takeAny(key, nowUs)
      }
    }
    // A key that has room for more before and after keeps its place in the eviction order; any other is noted.
    if (row.allowed && (row.remaining <= 0 || !table.evictionOrder.isOpen(slot))) table.note(slot, nowUs)
    return row
  }

  #takeAny(text: string, nowUs: number): StoreRow {
    const { id, policy } = this.#counted
    const key = encodeKey(text)
    const check: Check = { id, policy, key, cost: 1, note: undefined, shadow: false, onStoreFailure: 'local' }
    const row = this.#phases.take(check, nowUs)
    // The store may have removed the table that was used so far.
    this.#table = this.#store.keys.tableOf(check)
    return row
  }
}
