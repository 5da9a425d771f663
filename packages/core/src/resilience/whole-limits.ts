import { isRefused, isSpared } from '../all-or-nothing.ts'
import type { Clock } from '../clock.ts'
import type { IsHeld } from '../memory/evictor.ts'
import type { Keys } from '../memory/keys.ts'
import { placeOf } from '../memory/look.ts'
import { MemoryStore } from '../memory/store.ts'
import { RandomMark } from '../runtime.ts'
import type { Change, Check, Command, Question, StoreRow, StoreRows } from '../store.ts'
import { partsOf, spacingUs, startsEmpty } from '../strategies/policy-parts.ts'
import { chargedUs } from './charges.ts'

/**
 * What this process has admitted, counted by the whole limit. Kept only where the count for an outage differs: that goes by a share,
 * which may have a lower rate, or it takes an unknown key for a new one, which starts empty.
 */
export class WholeLimits {
  readonly #memory: MemoryStore
  readonly #isShared: boolean

  constructor(maxKeys: number, isShared: boolean, { clock, isHeld }: { clock: Clock; isHeld: IsHeld }) {
    this.#memory = new MemoryStore(maxKeys, clock, new RandomMark(), isHeld)
    this.#isShared = isShared
  }

  /** undefined: the check has no second count. What is in flight is the same by any limit, and so is most of what has no share. */
  of({ policy }: Check): MemoryStore | undefined {
    const isCounted = this.#isShared || startsEmpty(policy)
    return isCounted && !partsOf(policy).inFlight ? this.#memory : undefined
  }

  /** Counts what a question has taken without the store. */
  taken(question: Question, rows: StoreRows, nowUs: number): void {
    const { checks, others, take } = question
    const isOthers = isSpared(question, false) && (others !== undefined || isRefused(checks, rows))
    if (!take || isOthers) return
    for (const [i, check] of checks.entries()) {
      const row = rows[i]
      if (row?.allowed === true && check.cost > 0) this.takenFor(check, row, nowUs)
    }
  }

  takenFor(check: Check, row: StoreRow, nowUs: number): void {
    // The caller was promised this time: nobody passes before it.
    if (row.waitUs > 0) this.adjustAt({ check, receipt: null, byUnits: 0, atLeastUs: row.waitUs }, nowUs)
    const byUnits = partsOf(check.policy).countsRequests ? 1 : (row.taken ?? check.cost)
    this.adjustAt({ check, receipt: null, byUnits }, chargedUs(check, row, nowUs))
  }

  /** Applies the change without its receipt: here the units were taken under another one. */
  adjustAt(change: Change, atUs: number): void {
    const { check } = change
    const memory = this.of(check)
    if (memory === undefined) return
    beginFull(memory.keys, check, atUs)
    memory.adjustAt({ ...change, receipt: null }, atUs)
  }

  /** Blocks are kept only by the memory that counts shares. */
  manage(command: Command): void {
    const { op, check } = command
    if (op === 'set' || op === 'reset') this.of(check)?.manage(command)
  }
}

/** Whether memory has a count of the key that still matters. */
export function isKnown(keys: Keys, check: Check, nowUs: number): boolean {
  const { table, slot } = placeOf(keys, check, nowUs)
  return table.shares(check.key) || (slot >= 0 && !table.isIdle(slot, nowUs))
}

/** Lets an unknown key start with its whole limit, and not empty: it need not be new. */
function beginFull(keys: Keys, check: Check, atUs: number): void {
  if (isKnown(keys, check, atUs)) return
  const place = placeOf(keys, check, atUs)
  const unused: unknown = place.table.definition.unused?.(place.numbers, atUs)
  if (unused !== undefined) keys.save(place, unused)
}

/** Leaves a key no more than the store has: the time until it is full again says how much, to the microsecond. */
export function noMoreThan(keys: Keys, check: Check, { row, nowUs }: { row: StoreRow; nowUs: number }): void {
  beginFull(keys, check, nowUs)
  const place = placeOf(keys, check, nowUs)
  const { numbers, slot, table } = place
  const state: unknown = table.stateAt(slot, numbers, nowUs)
  const untilOneUs = row.resetAfterUs - spacingUs(check.policy, partsOf(check.policy).units - 1)
  const raised: unknown = table.definition.raise?.(numbers, state, untilOneUs, nowUs) ?? state
  if (raised !== state) keys.save(place, raised)
}
