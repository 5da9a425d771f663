import { canonicalAddress } from './address.ts'
import { networkOfCanonical } from './network.ts'
import type { RequestFacts, RequestView } from './view.ts'

/** The key of requests that have no address. */
const unknownNetwork = 'unknown'

/** A request as the HTTP layer sees it. */
class FactsView implements RequestView {
  readonly method: string
  readonly route: string | undefined
  readonly address: string | undefined
  readonly network: string
  readonly #facts: RequestFacts

  constructor(facts: RequestFacts, ipv6Prefix: number) {
    const { method, route, ip, peer } = facts
    this.method = method
    this.route = route
    // What a proxy forwards may be no address: then the proxy itself is all that is known.
    this.address = canonicalAddress(ip) ?? canonicalAddress(peer)
    this.network = this.address === undefined ? unknownNetwork : networkOfCanonical(this.address, ipv6Prefix)
    this.#facts = facts
  }

  header(name: string): string | undefined {
    return headerOf(this.#facts, name.toLowerCase())
  }
}

/** A header of a request, by its name in lower case; one that came several times is joined. */
export function headerOf({ headers }: RequestFacts, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'object' ? value.join(', ') : value
}

export function viewOf(facts: RequestFacts, ipv6Prefix: number): RequestView {
  return new FactsView(facts, ipv6Prefix)
}
