import type { Check, StoreRow } from '../store.ts'
import { partsOf } from '../strategies/definition.ts'
import type { Hand, Lot } from './hand.ts'

/** The next units are taken at the earliest when half of the time of those in hand has passed, and in its last quarter before anything is known. */
const mostLead = 2
const firstLead = 4

/** By which a long answer counts less with each that follows. */
const leadFades = 0.9

/** Of that time, so much less is used: this process's clock may run that much slower than the store's. */
const clocksDiffer = 1e-3

/** Units that the store has taken, by the row of its answer. */
export interface TakenUnits {
  readonly row: StoreRow
  /** As it was taken: with all units, of which some may be used already. */
  readonly check: Check
  readonly sentUs: number
  readonly units: number
}

/** When units that were taken ahead end, and when the next ones are taken. */
export class AheadTimes {
  readonly #aheadUs: number
  /** By this process's clock. */
  readonly #usedForUs: number
  /** How long before their end the next ones are taken: twice what an answer took lately. */
  #leadUs: number

  constructor(aheadUs: number) {
    this.#aheadUs = aheadUs
    this.#usedForUs = Math.floor(aheadUs * (1 - clocksDiffer))
    this.#leadUs = aheadUs / firstLead
  }

  lotOf({ row, check, sentUs, units }: TakenUnits, { lately }: Pick<Hand, 'lately'>, nowUs: number): Lot {
    this.#leadUs = Math.min(
      this.#aheadUs / mostLead,
      Math.max(2 * (nowUs - sentUs), this.#leadUs * leadFades),
    )
    const { definition, numbers } = partsOf(check.policy)
    const leftUs = definition.ahead?.leftUs?.(numbers, row.resetAfterUs) ?? this.#aheadUs
    const endsUs = sentUs + Math.min(this.#usedForUs, Math.floor(leftUs * (1 - clocksDiffer)))
    const lateUs = endsUs - this.#leadUs
    const lowUnits = Math.ceil((lately * this.#leadUs) / this.#aheadUs)
    return { units, endsUs, lateUs, lowUnits, row, takenUs: nowUs, check }
  }
}
