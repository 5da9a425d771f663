import { headerOf, type RequestFacts, type RequestView } from './view.ts'

type Warn = (code: string, message: string) => void

/** Warns of likely mistakes about who the client is, each once; costs nothing afterwards. */
export class AddressWarnings {
  readonly #warn: Warn
  #forwarded = true
  #trust = true
  #address = true

  constructor(warn: Warn) {
    this.#warn = warn
  }

  look(view: RequestView, facts: RequestFacts): void {
    const { ip, peer, trustsAll } = facts
    if (this.#trust && trustsAll) this.#warnOfTrust()
    if (this.#address && view.address === undefined) this.#warnOfAddress()
    // The framework names the connection's own address where it believes nothing that was forwarded.
    if (this.#forwarded && ip === peer) this.#lookForProxy(facts)
  }

  #lookForProxy(facts: RequestFacts): void {
    const forwarded = headerOf(facts, 'x-forwarded-for')
    const { peer } = facts
    if (!forwarded || (peer !== undefined && forwarded.includes(peer))) return
    this.#forwarded = false
    this.#warn(
      'SLUICE_PROXY_UNTRUSTED',
      "a request carries X-Forwarded-For, but the framework does not trust the sender: behind a proxy all clients share the proxy's count; set the proxies in front, for one: app.set('trust proxy', 1) in Express and Nest, trustProxy: 1 in Fastify, app.proxy and app.maxIpsCount = 1 in Koa, the option proxies: 1 elsewhere",
    )
  }

  #warnOfTrust(): void {
    this.#trust = false
    this.#warn(
      'SLUICE_TRUST_ALL',
      'the framework takes the client address from whatever X-Forwarded-For says, so a client can choose it: instead of true set the number of your proxies or their addresses: trust proxy in Express and Nest, trustProxy in Fastify, app.maxIpsCount in Koa',
    )
  }

  #warnOfAddress(): void {
    this.#address = false
    this.#warn(
      'SLUICE_NO_ADDRESS',
      'a request had no client address (unix socket): all such requests are counted under one key, "unknown"; set the option key to something else that tells clients apart',
    )
  }
}
