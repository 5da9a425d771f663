import { createLimiter, type Limiter, type LimiterSettings } from '@sluice/core'
import { type Answer, json } from './answer.ts'
import type { Attraction } from './attractions.ts'
import { orderOf } from './order.ts'
import type { TicketRoll } from './tickets.ts'

/** How an attraction stands, as the page shows it. */
export interface Standing extends Pick<Attraction, 'id' | 'name' | 'strategy' | 'rule'> {
  readonly limit: number
  readonly left: number
  /** null: there is a ticket now. */
  readonly againInMs: number | null
  readonly allFreeInMs: number
  /** null: no visitor was named, or visitors have no limit of their own here. */
  readonly visitor: { readonly mayBuy: boolean; readonly againInMs: number | null } | null
}

type Keys = { readonly [policy: string]: string | null }

/** Options of every framework's `rateLimit`: what an order counts. */
export interface Limits {
  readonly limiter: Limiter
  key(request: object): Keys
  cost(request: object): { readonly attraction: number }
  note(request: object): string
}

/** Sells the tickets of one attraction. */
export class Booth {
  readonly path: string
  readonly limits: Limits
  readonly #attraction: Attraction
  readonly #roll: TicketRoll

  constructor(attraction: Attraction, { roll, ...settings }: LimiterSettings & { roll: TicketRoll }) {
    const { id, policies } = attraction
    this.path = `/attractions/${id}/tickets`
    this.limits = {
      limiter: createLimiter({ ...settings, name: id, policies }),
      key: (request) => this.#keys(orderOf(request).visitor),
      // Two tickets count twice at the attraction; to the visitor's gate they are one purchase.
      cost: (request) => ({ attraction: orderOf(request).quantity }),
      note: (request) => orderOf(request).visitor,
    }
    this.#attraction = attraction
    this.#roll = roll
  }

  /** Looks and takes nothing. `source` tells who counts. */
  async look(visitor: string | null): Promise<{ readonly standing: Standing; readonly source: string }> {
    const { id, name, strategy, rule } = this.#attraction
    const decision = await this.limits.limiter.peek(this.#keys(visitor))
    const { attraction = decision, visitor: own } = decision.verdicts
    const standing = {
      id,
      name,
      strategy,
      rule,
      limit: attraction.limit,
      left: attraction.remaining,
      againInMs: attraction.retryAfterMs,
      allFreeInMs: attraction.resetAfterMs,
      visitor: own === undefined ? null : { mayBuy: own.allowed, againInMs: own.retryAfterMs },
    }
    return { standing, source: decision.source }
  }

  /** Answers a request that the limiter has let through. */
  sell(request: object): Answer {
    const { id } = this.#attraction
    const ticket = this.#roll.next(id)
    const sold = { ticket, attraction: id, ...orderOf(request) }
    return json(201, sold, { Location: `${this.path}/${ticket}` })
  }

  close(): Promise<void> {
    return this.limits.limiter.close()
  }

  /** All visitors count under one key; each counts under a second one where the attraction limits visitors, too. */
  #keys(visitor: string | null): Keys {
    const { id, policies } = this.#attraction
    return policies.visitor === undefined ? { attraction: id } : { attraction: id, visitor }
  }
}
