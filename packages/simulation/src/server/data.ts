import type { HeldLease, InLine, KeySnapshot, LinePlace, Question, Renewal, StoreRows } from '@sluice/core'
import type { Code } from '../inside/load.ts'
import type { Correction, readManage } from './corrections.ts'

/** More keys than one history has. */
const plenty = 1_000_000

/** What a server has stored: the counts are those of the memory store, on the server's clock. */
export class Data {
  readonly #memory: InstanceType<Code['MemoryStore']>
  readonly #clock = { us: 0, nowUs: () => this.#clock.us }
  /** Receipts as the memory store knows them, by those that were answered. */
  readonly #receipts = new Map<string, string | number>()
  /** The instant since when each key is counted anew. */
  readonly #anewUs = new Map<string, number>()
  /** Callers in line that hold their places. */
  readonly #served = new Set<string>()

  /** `mark`: the beginning of all receipts, so that those of two sets of data differ. */
  constructor(code: Code, mark: string) {
    this.#memory = new code.MemoryStore(plenty, this.#clock, { text: mark })
  }

  /** Answers a question without writing anything. */
  look(question: Question, nowUs: number): StoreRows {
    this.#clock.us = nowUs
    return this.#memory.answer({ ...question, take: false })
  }

  decide(question: Question, nowUs: number): StoreRows {
    this.#clock.us = nowUs
    const rows = this.#memory.answer(question)
    return rows.map((row, i) => {
      const own = ownOf(row.receipt)
      if (own !== row.receipt) this.#receipts.set(`${question.checks[i]?.key} ${nowUs} ${own}`, row.receipt)
      return own === row.receipt ? row : { ...row, receipt: own }
    })
  }

  adjust(corrections: readonly Correction[], nowUs: number): void {
    this.#clock.us = nowUs
    for (const { change, era, own, anewKey } of corrections) {
      const sinceUs = anewKey === undefined ? undefined : this.#anewUs.get(anewKey)
      if (sinceUs !== undefined && era !== '' && Number(era) <= sinceUs) continue
      this.#served.delete(own)
      const receipt = this.#receipts.get(`${change.check.key} ${era} ${own}`) ?? change.receipt
      this.#memory.adjust([{ ...change, receipt }])
    }
  }

  renew(held: readonly HeldLease[], nowUs: number): readonly Renewal[] {
    this.#clock.us = nowUs
    return this.#memory.renew(held)
  }

  /** Lets callers stand in line. `anew`: those that hold their places since this call. */
  line(callers: readonly InLine[], nowUs: number): { places: readonly LinePlace[]; anew: readonly InLine[] } {
    this.#clock.us = nowUs
    const places = this.#memory.line(callers)
    for (const { id, leaves } of callers) if (leaves) this.#served.delete(id)
    const anew = callers.filter(({ id }, i) => places[i]?.row.allowed === true && !this.#served.has(id))
    for (const { id } of anew) this.#served.add(id)
    return { places, anew }
  }

  manage({ command, anewKey }: ReturnType<typeof readManage>, nowUs: number): KeySnapshot | undefined {
    this.#clock.us = nowUs
    if (anewKey !== undefined) this.#anewUs.set(anewKey, nowUs)
    return this.#memory.manage(command) as KeySnapshot | undefined // as its type says of inspect alone
  }
}

/** The receipt without the mark by which the memory store tells counts of one key apart: calls carry that in another way. */
function ownOf(receipt: string | number): string | number {
  if (typeof receipt !== 'string' || !receipt.startsWith('@')) return receipt
  return receipt.slice(receipt.indexOf('@', 1) + 1)
}
