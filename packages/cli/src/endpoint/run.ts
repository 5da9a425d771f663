import {
  createLimiter,
  type Decision,
  type Key,
  type Limiter,
  type LimiterSettings,
  type NotApplicable,
  notApplicable,
  type Policies,
} from '@sluice/core'
import { pictures } from '@sluice/core/internal'
import type { Order } from './order.ts'

/** Settings that every run passes to its limiter. */
export type RunSettings = Pick<LimiterSettings, 'store' | 'observers' | 'logger'>

/** One order while its policies apply. */
export class Run {
  readonly id: string = crypto.randomUUID().slice(0, 8)
  readonly order: Order
  readonly limiter: Limiter<Policies>
  admitted = 0
  refused = 0

  constructor(order: Order, name: string, settings: RunSettings) {
    const { policies, shadow } = order
    this.order = order
    this.limiter = createLimiter({ ...settings, name, policies, shadow })
  }

  /** How long after its end charts would still add its admissions to those of a later run with the same name. */
  get echoUs(): number {
    if (this.admitted === 0) return 0
    return (
      1e6 +
      Math.max(...Object.values(this.order.policies).map((policy) => pictures.pictureOf(policy).windowUs))
    )
  }

  /**
   * Resolves when the first visitor may come. Clears counts for everybody that an earlier run with this title may have left; visitors'
   * counts contain the run's id. Rejects with a StoreError if the store cannot answer.
   */
  async open(): Promise<void> {
    await this.limiter.ready()
    await this.limiter.reset(this.#keysOf(null))
  }

  async check(visitor: string): Promise<Decision> {
    const decision = await this.limiter.check(this.#keysOf(visitor), { note: visitor })
    if (decision.allowed) this.admitted++
    else this.refused++
    return decision
  }

  #keysOf(visitor: string | null): { readonly [policy: string]: Key | NotApplicable } {
    const own = visitor === null ? notApplicable : [this.id, visitor]
    return Object.fromEntries(
      this.order.keys.map(([policy, key]) => [policy, key === 'visitor' ? own : 'everybody']),
    )
  }
}
