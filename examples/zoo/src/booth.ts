import type { Duration } from '@sluice/core'
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
  readonly maxWait?: Duration
}

/** Sells the tickets of one attraction. */
export class Booth {
  readonly path: string
  readonly limits: OrderLimits
  readonly attraction: Attraction
  readonly #counter: Counter
  readonly #roll: TicketRoll

  constructor(attraction: Attraction, { counter, roll }: { counter: Counter; roll: TicketRoll }) {
    this.path = `/attractions/${attraction.id}/tickets`
    this.limits = {
      limiter: counter.limiter,
      key: (request) => this.questionOf(request).key,
      cost: (request) => this.questionOf(request).cost,
      note: (request) => this.questionOf(request).note,
      ...(counter.maxWait === undefined ? {} : { maxWait: counter.maxWait }),
    }
    this.#counter = counter
    this.attraction = attraction
    this.#roll = roll
  }

  /** What the limiter is asked about a request that takeOrder has seen. */
  questionOf(request: object): Question {
    return this.#counter.questionOf(orderOf(request))
  }

  /** Looks without charging. `source`: where counts come from. */
  async look(visitor: string | null): Promise<{ readonly standing: Standing; readonly source: string }> {
    const { id, name, visitMs } = this.attraction
    const { count, source } = await this.#counter.look(visitor)
    const places = visitMs === undefined ? {} : { visitMs }
    return { standing: { id, name, ...places, ...count }, source }
  }

  /** Answers a request that the limiter has admitted; `quantity`: how many tickets, where those are not all that were ordered. */
  sell(
    request: object,
    { fields = {}, ...sold }: { readonly fields?: Answer['headers']; readonly quantity?: number } = {},
  ): Answer {
    const { id } = this.attraction
    const ticket = this.#roll.next(id)
    const body = { ticket, attraction: id, ...orderOf(request), ...sold }
    return json(201, body, { ...fields, Location: `${this.path}/${ticket}` })
  }
}
