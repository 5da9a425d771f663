import type { IncomingMessage } from 'node:http'
import type { Allowed, Decision } from '@sluice/core'
import { outcomeOf } from '@sluice/http'
import type { Answer } from './answer.ts'
import type { Booth, OrderLimits } from './booth.ts'

/**
 * Asks its limiter itself, for what `rateLimit` cannot do: an order keeps its place until the visit is over, where `rateLimit` gives it
 * back as soon as the request is answered; or an order gets the part of its tickets for which there is room.
 */
export class AskingBooth {
  readonly path: string
  /** Options for `rateLimit` ahead of a sale: it counts nothing, and turns away whose address is on a list. */
  readonly door: OrderLimits & { skip(): true }
  readonly #booth: Booth
  readonly #visitMs: number | undefined
  /** Visits under way, each with the function that ends it. */
  readonly #inside = new Map<Allowed, NodeJS.Timeout>()

  constructor(booth: Booth) {
    this.path = booth.path
    this.door = { ...booth.limits, skip: () => true }
    this.#booth = booth
    this.#visitMs = booth.attraction.visitMs
  }

  look(visitor: string | null): ReturnType<Booth['look']> {
    return this.#booth.look(visitor)
  }

  /** Answers a request that takeOrder has seen; `raw` is Node's request. */
  async sell(request: object, { headers: { accept } }: IncomingMessage): Promise<Answer> {
    const { key, ...about } = this.#booth.questionOf(request)
    const decision: Decision = await this.#booth.limits.limiter.check(key, about)
    if (decision.allowed && this.#visitMs !== undefined) this.#letIn(decision, this.#visitMs)
    const { headers, refusal } = outcomeOf(decision, { accept })
    const fields = Object.fromEntries(headers)
    const sold = about.take === undefined ? {} : { quantity: decision.cost }
    if (refusal === null) return this.#booth.sell(request, { fields, ...sold })
    const { status, type, body } = refusal
    return { status, headers: { ...fields, 'Content-Type': type }, body: Buffer.from(body) }
  }

  /** Ends all visits. */
  async close(): Promise<void> {
    await Promise.all([...this.#inside.keys()].map((visit) => this.#letOut(visit)))
  }

  #letIn(visit: Allowed, visitMs: number): void {
    this.#inside.set(
      visit,
      setTimeout(() => void this.#letOut(visit), visitMs),
    )
  }

  async #letOut(visit: Allowed): Promise<void> {
    clearTimeout(this.#inside.get(visit))
    this.#inside.delete(visit)
    await visit.release()
  }
}
