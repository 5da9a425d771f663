import type { QueueHealth } from '@sluice/queue'
import { type Answer, json } from './answer.ts'
import type { Attraction } from './attractions.ts'
import type { Count, Counter, Question } from './counting.ts'
import { orderOf } from './order.ts'
import type { TicketRoll } from './tickets.ts'

/** The line, and how many orders this process has accepted and refused since it started. */
export interface Line extends Pick<QueueHealth, 'waiting' | 'running'> {
  readonly accepted: number
  readonly turnedAway: number
}

/** The state of an attraction, for the page. */
export interface Standing extends Pick<Attraction, 'id' | 'name' | 'visitMs'>, Count {
  /** For a queue: the waiting orders; null if unknown. */
  readonly queue?: Line | null
}

/** Options for `rateLimit` of any framework: the limiter, and what it is asked about an order. */
export interface OrderLimits {
  readonly limiter: Counter['limiter']
  key(request: object): Question['key']
  cost(request: object): Question['cost']
  note(request: object): Question['note']
}

/** Sells the tickets of one attraction. */
export class Booth {
  readonly path: string
  readonly limits: OrderLimits
  readonly #counter: Counter
  readonly #attraction: Attraction
  readonly #roll: TicketRoll

  constructor(attraction: Attraction, { counter, roll }: { counter: Counter; roll: TicketRoll }) {
    this.path = `/attractions/${attraction.id}/tickets`
    this.limits = {
      limiter: counter.limiter,
      key: (request) => counter.questionOf(orderOf(request)).key,
      cost: (request) => counter.questionOf(orderOf(request)).cost,
      note: (request) => counter.questionOf(orderOf(request)).note,
    }
    this.#counter = counter
    this.#attraction = attraction
    this.#roll = roll
  }

  /** Looks without charging. `source`: where counts come from. */
  async look(visitor: string | null): Promise<{ readonly standing: Standing; readonly source: string }> {
    const { id, name, visitMs } = this.#attraction
    const { count, source } = await this.#counter.look(visitor)
    const places = visitMs === undefined ? {} : { visitMs }
    return { standing: { id, name, ...places, ...count }, source }
  }

  /** Answers a request that the limiter has admitted. */
  sell(request: object, fields: Answer['headers'] = {}): Answer {
    const { id } = this.#attraction
    const ticket = this.#roll.next(id)
    const sold = { ticket, attraction: id, ...orderOf(request) }
    return json(201, sold, { ...fields, Location: `${this.path}/${ticket}` })
  }
}
