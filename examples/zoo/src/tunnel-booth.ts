import type { IncomingMessage } from 'node:http'
import type { Allowed } from '@sluice/core'
import { outcomeOf } from '@sluice/http'
import type { Answer } from './answer.ts'
import type { Booth, OrderLimits } from './booth.ts'

/**
 * Sells places rather than tickets: an order takes its place until the visit is over, which is later than its answer. So the limiter
 * is asked here and not by `rateLimit`, which gives a place back as soon as the request is answered.
 */
export class TunnelBooth {
  readonly path: string
  /** Options for `rateLimit` ahead of a sale: it counts nothing, and turns away whose address is on a list. */
  readonly door: OrderLimits & { skip(): true }
  readonly #booth: Booth
  readonly #visitMs: number
  /** Visits under way, each with the function that ends it. */
  readonly #inside = new Map<Allowed, NodeJS.Timeout>()

  constructor(booth: Booth, visitMs: number) {
    this.path = booth.path
    this.door = { ...booth.limits, skip: () => true }
    this.#booth = booth
    this.#visitMs = visitMs
  }

  look(visitor: string | null): ReturnType<Booth['look']> {
    return this.#booth.look(visitor)
  }

  /** Answers a request that takeOrder has seen; `raw` is Node's request. */
  async sell(request: object, { headers: { accept } }: IncomingMessage): Promise<Answer> {
    const { limiter, key, cost, note } = this.#booth.limits
    const decision = await limiter.check(key(request), { cost: cost(request), note: note(request) })
    if (decision.allowed) this.#letIn(decision)
    const { headers, refusal } = outcomeOf(decision, { accept })
    const fields = Object.fromEntries(headers)
    if (refusal === null) return this.#booth.sell(request, fields)
    const { status, type, body } = refusal
    return { status, headers: { ...fields, 'Content-Type': type }, body: Buffer.from(body) }
  }

  /** Ends all visits. */
  async close(): Promise<void> {
    await Promise.all([...this.#inside.keys()].map((visit) => this.#letOut(visit)))
  }

  #letIn(visit: Allowed): void {
    this.#inside.set(
      visit,
      setTimeout(() => void this.#letOut(visit), this.#visitMs),
    )
  }

  async #letOut(visit: Allowed): Promise<void> {
    clearTimeout(this.#inside.get(visit))
    this.#inside.delete(visit)
    await visit.release()
  }
}
