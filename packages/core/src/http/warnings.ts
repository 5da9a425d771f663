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
      "a request carries X-Forwarded-For, but the framework does not trust the sender: behind a proxy all clients share the proxy's count; name the proxy in the framework's trust setting",
    )
  }

  #warnOfTrust(): void {
    this.#trust = false
    this.#warn(
      'SLUICE_TRUST_ALL',
      'the framework takes the client address from whatever X-Forwarded-For says, so a client can choose it: name your proxies or their number instead',
    )
  }

  #warnOfAddress(): void {
    this.#address = false
    this.#warn(
      'SLUICE_NO_ADDRESS',
      'a request had no client address (unix socket): all such requests are counted under one key, "unknown"',
    )
  }
}
