import { type Clock, runningTime } from '../clock.ts'
import type { LaneCheck } from '../decision/lane.ts'
import type { LaneChange } from '../decision/limiter-decision.ts'
import type { PolicyVerdict } from '../decision/verdict.ts'
import { nextTurn, requestsApart } from '../runtime.ts'
import type { Renewal, Store, StoreRow } from '../store.ts'
import { leaseUs } from '../strategies/policy-parts.ts'
import { wakeQuietly } from '../waiting/alarm.ts'
import type { LeasingLimiter } from './ability.ts'

const lostMeans =
  'a request went on for longer than its lease without a renewal, and another has its place: more than the limit are in flight; set a longer lease on its policy'

/** A lease that this process renews. Made by a constructor: decision/lane.ts says why. There may be very many, so it keeps no verdict. */
class KeptLease {
  readonly check: LaneCheck
  readonly row: StoreRow
  readonly owner: LeasingLimiter
  readonly leaseUs: number
  dueUs: number
  lost = false

  constructor(check: LaneCheck, row: StoreRow, owner: LeasingLimiter, renewedUs: number) {
    this.check = check
    this.row = row
    this.owner = owner
    this.leaseUs = leaseUs(check)
    this.dueUs = renewedUs + this.leaseUs / 3
  }
}

/** How many leases are renewed in one call, and in one turn of the event loop: requests that come meanwhile pass between two calls. */
const mostAtOnce = 500

/**
 * The leases of this process in one store. A lease is renewed when a third of it is over; leases of which a sixth is over are renewed in
 * the same call, so that renewals soon coincide. The lease of work that is shorter than a sixth of it is never renewed.
 */
export class Leases {
  readonly #store: Store
  readonly #clock: Clock
  readonly #kept = new Map<StoreRow, KeptLease>()
  readonly #freeing = new Set<Promise<void>>()
  #wakesUs = Number.POSITIVE_INFINITY
  #callOff = () => {}

  constructor(store: Store) {
    this.#store = store
    this.#clock = store.clock ?? runningTime
  }

  keep(check: LaneCheck, row: StoreRow, owner: LeasingLimiter): void {
    const kept = new KeptLease(check, row, owner, this.#clock.nowUs())
    this.#kept.set(row, kept)
    this.#wakeAt(kept.dueUs)
  }

  drop(row: StoreRow): void {
    this.#kept.delete(row)
  }

  /** Waits until places are given back, which never rejects. */
  async free(freed: Promise<void>): Promise<void> {
    this.#freeing.add(freed)
    await freed
    this.#freeing.delete(freed)
  }

  /** Stops renewing the leases of an owner, once what is given back has reached the store: the others run out. */
  async dropAllOf(owner: LeasingLimiter): Promise<void> {
    // No count of this process outlives it.
    if (this.#store.clock === undefined) {
      // A server emits `close` two turns before the connections that it has cut off do, and only then do their requests free places.
      for (let turn = 0; turn < 2 && this.#allOf(owner).length > 0; turn++) await new Promise<void>(nextTurn)
      await Promise.all(this.#freeing)
    }
    for (const { row } of this.#allOf(owner)) this.drop(row)
  }

  #allOf(owner: LeasingLimiter): readonly KeptLease[] {
    return [...this.#kept.values()].filter((kept) => kept.owner === owner)
  }

  #wakeAt(dueUs: number): void {
    if (dueUs >= this.#wakesUs) return
    const restMs = Math.max(0, Math.ceil((dueUs - this.#clock.nowUs()) / 1000))
    // If a timer ends with the request that set it, each request sets its own.
    if (!requestsApart) {
      this.#callOff()
      this.#wakesUs = dueUs
    }
    this.#callOff = wakeQuietly(this.#clock, restMs, () => this.#wake())
  }

  #wake(): void {
    this.#wakesUs = Number.POSITIVE_INFINITY
    const nowUs = this.#clock.nowUs()
    const all = [...this.#kept.values()]
    if (all.some(({ dueUs }) => dueUs <= nowUs))
      void this.#renew(all.filter(({ dueUs, leaseUs }) => dueUs - nowUs <= leaseUs / 6))
    this.#wakeAt(earliestUs(all))
  }

  /** One call after the other, the shortest leases first. */
  async #renew(old: KeptLease[]): Promise<void> {
    const beganUs = this.#clock.nowUs()
    for (const kept of old) kept.dueUs = beganUs + kept.leaseUs / 3
    old.sort((a, b) => a.leaseUs - b.leaseUs)
    for (let at = 0; at < old.length; at += mostAtOnce) {
      if (at > 0) await new Promise<void>(nextTurn)
      const some = old.slice(at, at + mostAtOnce).filter(({ row }) => this.#kept.has(row))
      if (some.length > 0) await this.#renewSome(some)
    }
  }

  async #renewSome(some: readonly KeptLease[]): Promise<void> {
    try {
      const held = some.map(({ check, row }) => ({ check, receipt: row.receipt }))
      const outcomes = (await this.#store.renew?.(held)) ?? []
      for (const [i, kept] of some.entries()) this.#note(kept, outcomes[i])
    } catch {
      // The state of these leases is unknown: try again soon, before they lapse.
      for (const kept of some) kept.dueUs = Math.min(kept.dueUs, this.#clock.nowUs() + kept.leaseUs / 12)
      this.#wakeAt(earliestUs(some))
    }
  }

  #note(kept: KeptLease, outcome: Renewal | undefined): void {
    const { owner } = kept
    if (!this.#kept.has(kept.row)) {
      // It was freed while its renewal was on the way, which has taken it again.
      if (outcome === 'regained') void owner.adjust([givingBack(kept)])
    } else {
      const lost = outcome === 'lost'
      if (lost && !kept.lost) {
        owner.lost(kept.check)
        owner.warned({ code: 'SLUICE_LEASE_LOST', message: lostMeans })
      }
      kept.lost = lost
    }
  }
}

export function givingBack({ check, row: { receipt } }: Pick<PolicyVerdict, 'check' | 'row'>): LaneChange {
  return { check, receipt, byUnits: -check.cost }
}

function earliestUs(kept: readonly KeptLease[]): number {
  return kept.reduce((earliest, { dueUs }) => Math.min(earliest, dueUs), Number.POSITIVE_INFINITY)
}

const leases = new WeakMap<Store, Leases>()

/** The leases in a store, of whichever limiter. */
export function leasesIn(store: Store): Leases {
  const known = leases.get(store) ?? new Leases(store)
  leases.set(store, known)
  return known
}
