import type { Check, StoreRow } from '@sluice/core'
import { partsOf } from '@sluice/core/internal'

interface Charge {
  readonly check: Check
  readonly receipt: StoreRow['receipt']
}

/**
 * Which slots of `multiWindow` are counted anew. Other numbers may remove a slot, and let the key end soon. If the first ones, put back
 * before that slot's time is over, charge it again, then what was charged at first has ended. A store that keeps a mark in the key's row
 * gives nothing of it back; memory and Redis know a slot by its end alone, and give it back out of the new one.
 */
export class SlotsAnew {
  readonly #calls: (Pick<Check, 'id' | 'key'> & { readonly value: string; readonly slot: string })[] = []

  /** Notes each call on a key, whatever it does; `receipt`: '' where it charges nothing. */
  note({ id, key, policy }: Check, receipt: StoreRow['receipt'] = ''): void {
    if (policy.strategy !== 'multiWindow') return
    this.#calls.push({ id, key, value: partsOf(policy).value, slot: slotOf(receipt) })
  }

  /** Whether the slot of a charge was charged once more after other numbers have met the key. */
  has({ check: { id, key, policy }, receipt }: Charge): boolean {
    const { value } = partsOf(policy)
    const [slot, calls] = [slotOf(receipt), this.#calls.filter((call) => call.id === id && call.key === key)]
    const since = calls.slice(calls.findIndex((call) => call.slot === slot) + 1)
    const others = since.findIndex((call) => call.value !== value)
    return others >= 0 && since.slice(others).some((call) => call.slot === slot)
  }
}

/** A receipt without the mark of its count and without what a reservable policy adds. */
function slotOf(receipt: StoreRow['receipt']): string {
  return `${receipt}`.replace(/^@[^@]*@/, '').replace(/~.*/, '')
}
