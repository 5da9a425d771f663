import { Counts } from './replay/counts.ts'
import { Fullest } from './replay/fullest.ts'

/** Some of the clients, and what they sent. */
export interface Group {
  readonly clients: number
  readonly requests: number
}

/** Which clients are well-behaved, and by which threshold. */
export interface WellBehaved {
  /** The most requests that one of them sent in any minute. */
  readonly busiestMinute: number
  readonly wellBehaved: Group
  readonly others: Group
  has(client: number): boolean
}

const minuteUs = 60e6
/** Share of all clients. */
export const usuallyWellBehaved = 0.95

/** How clients behave, by their numbers: all their requests, and the most in any minute. */
export class Behaviour {
  readonly #requests = new Counts()
  readonly #busiest = new Counts()
  readonly #minute = new Fullest(minuteUs)
  #clients = 0

  /** Adds a request; requests come in the order of their times. */
  add(client: number, atUs: number): void {
    this.#clients = Math.max(this.#clients, client + 1)
    this.#requests.add(client, 1)
    const more = this.#minute.add(atUs, 1, client) - this.#busiest.of(client)
    if (more > 0) this.#busiest.add(client, more)
  }

  /**
   * Clients are well-behaved by their requests: those whose busiest minute was calmest, up to this share of
   * all clients, including those as calm as the last of them.
   */
  wellBehaved(share: number): WellBehaved {
    const clients = Array.from({ length: this.#clients }, (_, client) => client)
    const ranked = Float64Array.from(clients, (client) => this.#busiest.of(client))
      .filter((most) => most > 0)
      .sort()
    const busiestMinute = ranked[Math.ceil(ranked.length * share) - 1] ?? 0
    const has = (client: number): boolean => this.#busiest.of(client) <= busiestMinute
    const calm = ranked.filter((most) => most <= busiestMinute).length
    const requestsOf = (all: readonly number[]) =>
      all.reduce((sum, client) => sum + this.#requests.of(client), 0)
    return {
      busiestMinute,
      wellBehaved: { clients: calm, requests: requestsOf(clients.filter(has)) },
      others: {
        clients: ranked.length - calm,
        requests: requestsOf(clients.filter((client) => !has(client))),
      },
      has,
    }
  }
}
