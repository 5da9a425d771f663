import type { Check, StoreRow } from '@sluice/core'
import { partsOf } from '@sluice/core/internal'

interface Charge {
  readonly check: Check
  readonly receipt: StoreRow['receipt']
}

/**
 * Which slots of `multiWindow` were charged, removed by other numbers, and charged again by the first ones. In such a slot stores may
 * differ: memory and Redis know it by its end alone and give an earlier charge back out of it; a store that marks each count in the key's
 * row gives nothing back. So histories refund nothing there.
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
