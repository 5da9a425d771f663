import type { QueueHealth } from '@sluice/queue'
import { type Answer, json } from './answer.ts'
import type { Attraction } from './attractions.ts'
import type { Count, Counter } from './counting.ts'
import { type Order, orderOf } from './order.ts'
import type { TicketRoll } from './tickets.ts'

/** Who is in line, and how many orders this process has accepted and turned away since it started. */
export interface Line extends Pick<QueueHealth, 'waiting' | 'running'> {
  readonly accepted: number
  readonly turnedAway: number
}

/** How an attraction stands, as the page shows it. */
export interface Standing extends Pick<Attraction, 'id' | 'name' | 'visitMs'>, Count {
  /** Where orders wait for their turn; null: nobody knows how many. */
  readonly queue?: Line | null
}

/** Options of every framework's `rateLimit`: what an order counts. */
export interface OrderLimits {
  readonly limiter: Counter
  key(request: object): Order
}

/** Sells the tickets of one attraction. */
export class Booth {
  readonly path: string
  readonly limits: OrderLimits
  readonly #attraction: Attraction
  readonly #roll: TicketRoll

  constructor(attraction: Attraction, { counter, roll }: { counter: Counter; roll: TicketRoll }) {
    this.path = `/attractions/${attraction.id}/tickets`
    this.limits = { limiter: counter, key: orderOf }
    this.#attraction = attraction
    this.#roll = roll
  }

  /** Looks and takes nothing. `source` tells who counts. */
  async look(visitor: string | null): Promise<{ readonly standing: Standing; readonly source: string }> {
    const { id, name, visitMs } = this.#attraction
    const { count, source } = await this.limits.limiter.look(visitor)
    const places = visitMs === undefined ? {} : { visitMs }
    return { standing: { id, name, ...places, ...count }, source }
  }

  /** Answers a request that the limiter has let through. */
  sell(request: object, fields: Answer['headers'] = {}): Answer {
    const { id } = this.#attraction
    const ticket = this.#roll.next(id)
    const sold = { ticket, attraction: id, ...orderOf(request) }
    return json(201, sold, { ...fields, Location: `${this.path}/${ticket}` })
  }
}
