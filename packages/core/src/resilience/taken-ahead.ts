import { optionError } from '../errors.ts'
import type { Change, Charge, Check, Command, KeySnapshot, StoreRow, UnitsAhead } from '../store.ts'
import type { AheadStore } from './ahead-store.ts'
import { rowWith } from './in-hand.ts'
import { wholeOf } from './part-receipts.ts'
import { LimiterUnits } from './units-ahead.ts'

const notByLevel =
  'to be left out, as units are taken ahead for all policies or for none, and charge is "every-level"'

/** What limiters have taken ahead of one store: what changes a key passes here, whichever limiter asks for it. */
export class TakenAhead {
  readonly #all = new Set<LimiterUnits>()
  /** Receipts of limiters that have been closed may still come. */
  #any = false

  by(store: AheadStore, aheadUs: number, charge: Charge): UnitsAhead {
    if (charge === 'every-level') throw optionError('ahead', notByLevel, aheadUs / 1000)
    this.#any = true
    const units = new LimiterUnits(store, aheadUs, () => this.#all.delete(units))
    this.#all.add(units)
    return units
  }

  async manage(command: Command, manage: (command: Command) => Promise<unknown>): Promise<unknown> {
    const { op, check } = command
    if (op !== 'inspect') return this.#during([check], () => manage(command))
    this.#inHandOf(check)
    const snapshot = (await manage(command)) as KeySnapshot // what a store answers to inspect
    const units = this.#inHandOf(check)
    return units === 0 ? snapshot : { ...snapshot, row: inspected(snapshot.row, units) }
  }

  /** Receipts as the store knows them. What has none is no correction of a decision, but an act on its key. */
  async adjust(
    changes: readonly Change[],
    adjust: (changes: readonly Change[]) => Promise<void>,
  ): Promise<void> {
    if (!this.#any) return adjust(changes)
    const whole = changes.map(wholeOf)
    for (const each of this.#all) each.corrected(whole)
    const acts = whole.flatMap(({ check, receipt }) => (receipt === null ? [check] : []))
    return this.#during(acts, () => adjust(whole))
  }

  #during<T>(checks: readonly Check[], act: () => Promise<T>): Promise<T> {
    let all = act
    if (checks.length > 0) {
      for (const each of this.#all) {
        const inner = all
        all = () => each.during(checks, inner)
      }
    }
    return all()
  }

  /** What has ended goes back. */
  #inHandOf(check: Check): number {
    let units = 0
    for (const each of this.#all) units += each.inHandOf(check)
    return units
  }
}

/** As a check for one unit would be answered: a block is shown, though another process may have made it since. */
function inspected(row: StoreRow, units: number): StoreRow {
  const counted = rowWith(row, units)
  return row.reason === 'limited' ? { ...counted, allowed: true, reason: null, retryAfterUs: 0 } : counted
}
