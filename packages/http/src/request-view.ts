import type { Decision } from '@sluice/core'
import { canonicalAddress, networkOfCanonical } from './address.ts'

/** What the HTTP layer sees of a request, whatever the framework. */
export interface RequestView {
  readonly method: string
  /** The matched pattern; undefined under Express's app.use and before Koa's router. */
  readonly route: string | undefined
  /**
   * Canonical, as far as the framework's proxy trust goes; undefined when there is none. Read before any await: after an abort it is
   * gone.
   */
  readonly address: string | undefined
  /** The address, IPv6 cut to `ipv6Prefix`: the default key. */
  readonly network: string
  header(name: string): string | undefined
}

export interface Refusal {
  status: number
  type: string
  body: string
}

/** What is to happen to a response: plain data that an adapter hands to its framework. */
export interface Outcome {
  /** null: skipped, nothing was counted. */
  readonly decision: Decision | null
  readonly headers: readonly (readonly [string, string])[]
  readonly refusal: Readonly<Refusal> | null
}

/**
 * What an adapter reads from a request; the rest of the view follows from it. Method and route are read only for functions of the
 * user's: an adapter may find them out when they are read.
 */
export interface RequestFacts {
  readonly method: string
  readonly route: string | undefined
  /** The client's address as the framework gives it. */
  readonly ip: string | undefined
  /** The address that the connection comes from: the client's, or that of the nearest proxy. */
  readonly peer: string | undefined
  /** Whether the framework believes whatever a client writes into X-Forwarded-For. */
  readonly trustsAll: boolean
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
}

/** The key of requests that have no address. */
const unknownNetwork = 'unknown'

/** A request as the HTTP layer sees it. */
class FactsView implements RequestView {
  readonly address: string | undefined
  readonly network: string
  readonly #facts: RequestFacts

  constructor(facts: RequestFacts, ipv6Prefix: number) {
    const { ip, peer } = facts
    // What a proxy forwards may be no address: then the proxy itself is all that is known.
    this.address = canonicalAddress(ip) ?? canonicalAddress(peer)
    this.network = this.address === undefined ? unknownNetwork : networkOfCanonical(this.address, ipv6Prefix)
    this.#facts = facts
  }

  get method(): string {
    return this.#facts.method
  }

  get route(): string | undefined {
    return this.#facts.route
  }

  header(name: string): string | undefined {
    return headerOf(this.#facts, name.toLowerCase())
  }

  static factsIn(view: RequestView): RequestFacts | undefined {
    return #facts in view ? view.#facts : undefined
  }
}

/** The facts behind a view: the adapter's own object, which may know more. undefined for a view of a user's own making. */
export function factsIn(view: RequestView): RequestFacts | undefined {
  return FactsView.factsIn(view)
}

/** A header of a request, by its name in lower case; one that came several times is joined. */
export function headerOf({ headers }: RequestFacts, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'object' ? value.join(', ') : value
}

export function viewOf(facts: RequestFacts, ipv6Prefix: number): RequestView {
  return new FactsView(facts, ipv6Prefix)
}
