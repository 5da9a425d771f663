import type {
  Change,
  Command,
  HeldLease,
  InLine,
  KeySnapshot,
  LinePlace,
  Question,
  Renewal,
  StoreRow,
  StoreRows,
} from '@sluice/core'
import { type MemoryStore, partsOf, runtime } from '@sluice/core/internal'

/** Encloses a mark. Neither a strategy's receipt nor the id of a caller in line contains it. */
const edge = '~'

/**
 * The counts of the process that holds them. A receipt says which process has counted: units that another process counted before it died
 * are not given back to counts that do not contain them. A place in flight is known by its receipt wherever it was taken, as leases are
 * renewed.
 */
export class Desk {
  readonly memory: MemoryStore
  readonly #mark = `${edge}${new runtime.RandomMark().text}${edge}`

  constructor(memory: MemoryStore) {
    this.memory = memory
  }

  answer(question: Question): StoreRows {
    const rows = this.memory.answer(question) as StoreRow[] // made for this answer
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]
      if (row !== undefined && row.receipt !== '') rows[i] = { ...row, receipt: this.#mark + row.receipt }
    }
    return rows
  }

  adjust(changes: readonly Change[]): void {
    this.memory.adjust(changes.flatMap((change) => this.#own(change)))
  }

  renew(held: readonly HeldLease[]): readonly Renewal[] {
    return this.memory.renew(held.map(({ check, receipt }) => ({ check, receipt: unmarked(receipt) })))
  }

  line(callers: readonly InLine[]): readonly LinePlace[] {
    return this.memory.line(callers)
  }

  manage(command: Command): KeySnapshot | undefined {
    return this.memory.manage(command) as KeySnapshot | undefined // as `inspect` answers it, and the others nothing
  }

  #own(change: Change): readonly Change[] {
    const { check, receipt } = change
    if (receipt === null) return [change]
    const isForeign = isMarked(receipt) && !receipt.startsWith(this.#mark)
    return isForeign && !partsOf(check.policy).inFlight ? [] : [{ ...change, receipt: unmarked(receipt) }]
  }
}

function isMarked(receipt: string | number): receipt is string {
  return typeof receipt === 'string' && receipt.startsWith(edge)
}

function unmarked(receipt: string | number): string | number {
  return isMarked(receipt) ? receipt.slice(receipt.indexOf(edge, 1) + 1) : receipt
}
