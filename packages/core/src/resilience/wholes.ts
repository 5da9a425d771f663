import { isRefused, isSpared } from '../all-or-nothing.ts'
import type { Clock } from '../clock.ts'
import type { IsHeld } from '../memory/evictor.ts'
import { MemoryStore } from '../memory/store.ts'
import { RandomMark } from '../runtime.ts'
import type { Change, Check, Command, Question, StoreRows } from '../store.ts'
import { isInFlight, partsOf } from '../strategies/policy-parts.ts'

/**
 * What this process has admitted, counted by the whole limit, where it counts by a share in an outage: a share may have a lower rate, so
 * one count cannot be read as the other.
 */
export class Wholes {
  readonly #memory: MemoryStore

  constructor(maxKeys: number, clock: Clock, isHeld: IsHeld) {
    this.#memory = new MemoryStore(maxKeys, clock, new RandomMark(), isHeld)
  }

  /** undefined: what is under way is under way by any limit, and is counted once. */
  of(check: Check): MemoryStore | undefined {
    return isInFlight(check) ? undefined : this.#memory
  }

  /** What a question has taken by shares. */
  taken(question: Question, rows: StoreRows, nowUs: number): void {
    const { checks, others, take } = question
    const isOthers = isSpared(question, false) && (others !== undefined || isRefused(checks, rows))
    if (!take || isOthers) return
    for (const [i, check] of checks.entries()) {
      const row = rows[i]
      if (row === undefined || !row.allowed || check.cost === 0) continue
      // It passes at a time of the share: nobody passes before it.
      if (row.waitUs > 0) this.adjustAt({ check, receipt: null, byUnits: 0, atLeastUs: row.waitUs }, nowUs)
      const byUnits = partsOf(check.policy).countsRequests ? 1 : (row.taken ?? check.cost)
      this.adjustAt({ check, receipt: null, byUnits }, nowUs)
    }
  }

  /** What was taken has another receipt here. */
  adjustAt(change: Change, atUs: number): void {
    this.of(change.check)?.adjustAt({ ...change, receipt: null }, atUs)
  }

  /** Blocks are kept with the shares. */
  manage(command: Command): void {
    const { op, check } = command
    if (op === 'set' || op === 'reset') this.of(check)?.manage(command)
  }
}
