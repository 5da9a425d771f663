import { type Linked, LinkedList } from '../linked-list.ts'
import type { Policy } from '../policy.ts'
import type { StoreRow } from '../store.ts'
import type { ServerClock } from './server-clock.ts'

/** A refusal by the server, by the server's clock. */
export interface RecentRefusal extends Linked<RecentRefusal> {
  readonly of: PolicyRefusals
  readonly key: string
  readonly row: StoreRow
  readonly clock: ServerClock
  readonly untilUs: number
  readonly resetUs: number
  /** Until when it is repeated, by the clock of this process. */
  readonly staleUs: number
}

/** What was refused of a limiter's policy. */
export class PolicyRefusals {
  /** undefined: its numbers change from call to call, and a state that others have written may free itself in another time. */
  policy: Policy | undefined
  /** Keys that this process is changing, and how often. */
  readonly changing: Map<string, number> = new Map()
  readonly byKey: Map<string, RecentRefusal> = new Map()

  constructor(policy: Policy) {
    this.policy = policy
  }

  get(key: string): RecentRefusal | undefined {
    return this.byKey.size === 0 ? undefined : this.byKey.get(key)
  }
}

/** How many are kept, of all policies of a store together: each new one takes the place of the oldest. */
const mostKept = 10_000
/** How many that are over go at a time. */
const sweepSteps = 2

/** Refusals of all policies, in the order in which they were made. All are repeated for the same time, so they are over in that order. */
export class KeptRefusals {
  readonly #inOrder = new LinkedList<RecentRefusal>()
  #size = 0

  get size(): number {
    return this.#size
  }

  keep(refusal: RecentRefusal): void {
    const { of, key } = refusal
    this.drop(of.get(key))
    if (this.#size >= mostKept) this.drop(this.#inOrder.first)
    of.byKey.set(key, refusal)
    this.#inOrder.add(refusal)
    this.#size++
  }

  drop(refusal: RecentRefusal | undefined): void {
    if (refusal === undefined) return
    refusal.of.byKey.delete(refusal.key)
    this.#inOrder.remove(refusal)
    this.#size--
  }

  dropOf({ byKey }: PolicyRefusals): void {
    for (const refusal of byKey.values()) this.drop(refusal)
  }

  dropAll(): void {
    for (let { first } = this.#inOrder; first !== undefined; first = this.#inOrder.first) this.drop(first)
  }

  /** Each question drops two that are over, or all at once where the latest is. */
  sweep(localUs: number): void {
    const { last } = this.#inOrder
    if (last === undefined) return
    if (localUs >= last.staleUs) this.dropAll()
    for (let step = 0; step < sweepSteps; step++) {
      const { first } = this.#inOrder
      if (first === undefined || localUs < first.staleUs) return
      this.drop(first)
    }
  }
}
