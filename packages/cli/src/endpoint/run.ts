import {
  createLimiter,
  type Decision,
  type Key,
  type Limiter,
  type LimiterSettings,
  type NotApplicable,
  notApplicable,
} from '@sluice/core'
import { pictureOf } from '@sluice/core/internal'
import type { Order } from './order.ts'

/** What every run hands on to its limiter. */
export type RunSettings = Pick<LimiterSettings, 'store' | 'observers' | 'logger'>

/** The policies of one order, for as long as they hold. */
export class Run {
  readonly id: string = crypto.randomUUID().slice(0, 8)
  readonly order: Order
  readonly limiter: Limiter
  admitted = 0
  refused = 0

  constructor(order: Order, name: string, settings: RunSettings) {
    const { policies, shadow } = order
    this.order = order
    this.limiter = createLimiter({ ...settings, name, policies, shadow })
  }

  /** For so long after its end charts add what it has admitted to what comes under its name: they count whole seconds. */
  get echoUs(): number {
    if (this.admitted === 0) return 0
    return 1e6 + Math.max(...Object.values(this.order.policies).map((policy) => pictureOf(policy).windowUs))
  }

  /**
   * Resolves when the first visitor may come. An earlier run of the same title may have left counts of everybody; visitors' counts
   * bear the run's name. Rejects with a StoreError when the store cannot answer.
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
