import { optionError } from '../errors.ts'
import type { Policy } from '../policy.ts'
import { GuardedStore } from '../resilience/guarded-store.ts'
import type { Around, Change, Check, Command, Counting, KeySnapshot, StoreRow } from '../store.ts'
import { countedBy, partsOf } from '../strategies/policy-parts.ts'
import { rowWith, wholeOf } from './rows.ts'
import { AheadStore, type Inner } from './store.ts'

/** A guarded store around which limiters may put stores that take units ahead. */
export class AheadGuard extends GuardedStore {
  readonly #stores = new StoresAround()

  /** undefined where nothing may be shared between questions. */
  ahead(aheadUs: number, { charge, policies }: Counting): Around | undefined {
    if (this.apart) return undefined
    if (charge === 'every-level') throw optionError('ahead', notByLevel, aheadUs / 1000)
    const counted: { [name: string]: Policy | null } = {}
    for (const [name, policy] of Object.entries(policies))
      counted[name] = policy && countedAhead(policy, name, aheadUs)
    return { around: this.#stores.add(this, aheadUs), policies: counted }
  }

  override adjust(changes: readonly Change[]): Promise<void> {
    return this.#stores.adjust(changes, (whole) => super.adjust(whole))
  }

  override manage(command: Command): Promise<unknown> {
    return this.#stores.manage(command, () => super.manage(command))
  }
}

const notByLevel =
  'to be left out, as units are taken ahead for all policies or for none, and charge is "every-level"'

/** The policy as it is counted if its units may be used up to `us` later than they were taken. Throws an OptionError where they cannot. */
export function countedAhead(policy: Policy, name: string, us: number): Policy {
  const { definition, numbers, blocking } = partsOf(policy)
  function bad(expected: string): Error {
    return optionError('ahead', expected, `${us / 1000}ms`)
  }
  if (definition.ahead === undefined)
    throw bad(
      `to be left out, as units of ${policy.strategy} (policy "${name}") cannot be taken ahead; put that policy on a limiter of its own`,
    )
  if (blocking !== undefined)
    throw bad(
      `to be left out, as policy "${name}" has blockFor, and a key would be blocked later than it was refused`,
    )
  const counted = definition.ahead.numbers(numbers, us)
  if (counted === undefined) throw bad(`at most a tenth of the window of policy "${name}"`)
  return countedBy(policy, counted)
}

/** The stores around one store. Every change of a key passes here, whichever limiter asks for it. */
export class StoresAround {
  readonly #all = new Set<AheadStore>()
  /** Whether a store was ever added: receipts of limiters that have been closed may still come. */
  #any = false

  add(inner: Inner, aheadUs: number): AheadStore {
    this.#any = true
    const store = new AheadStore(inner, aheadUs, () => this.#all.delete(store))
    this.#all.add(store)
    return store
  }

  /** `inspect` counts units in hand as left. All other commands wait until none are in hand. */
  async manage({ op, check }: Command, manage: () => Promise<unknown>): Promise<unknown> {
    if (op !== 'inspect') return this.#during([check], manage)
    this.#inHandOf(check)
    const snapshot = (await manage()) as KeySnapshot // what a store answers to inspect
    const units = this.#inHandOf(check)
    return units === 0 ? snapshot : { ...snapshot, row: inspected(snapshot.row, units) }
  }

  /** Passes on receipts as the store knows them. A change without one does not correct a decision: it is an act on its key. */
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

  async #during<T>(checks: readonly Check[], act: () => Promise<T>): Promise<T> {
    if (checks.length === 0 || this.#all.size === 0) return act()
    const resumes = await Promise.all([...this.#all].map((store) => store.halt(checks)))
    try {
      return await act()
    } finally {
      for (const resume of resumes) resume()
    }
  }

  /** Units of a key that are in hand. Those that have ended are given back. */
  #inHandOf(check: Check): number {
    let units = 0
    for (const each of this.#all) units += each.inHandOf(check)
    return units
  }
}

/** The row as a check for one unit would get it from units in hand. A block is shown, though another process may have made it since. */
function inspected(row: StoreRow, units: number): StoreRow {
  const counted = rowWith(row, units)
  return row.reason === 'limited' ? { ...counted, allowed: true, reason: null, retryAfterUs: 0 } : counted
}
