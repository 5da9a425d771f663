import type { ProxyTrust, RequestView } from './view.ts'

type Warn = (code: string, message: string) => void

/** Likely mistakes about who the client is, each told once; costs nothing afterwards. */
export class AddressWarnings {
  readonly #warn: Warn
  #forwarded = true
  #trust = true
  #address = true

  constructor(warn: Warn) {
    this.#warn = warn
  }

  look(view: RequestView, trust: ProxyTrust): void {
    if (this.#trust && trust === 'all') this.#tellTrust()
    if (this.#address && view.address === undefined) this.#tellAddress()
    if (this.#forwarded && trust === 'none' && view.header('x-forwarded-for') !== undefined)
      this.#tellForwarded()
  }

  #tellTrust(): void {
    this.#trust = false
    this.#warn(
      'SLUICE_TRUST_ALL',
      'the framework takes the client address from whatever X-Forwarded-For says, so a client can choose it: name your proxies or their number instead',
    )
  }

  #tellAddress(): void {
    this.#address = false
    this.#warn(
      'SLUICE_NO_ADDRESS',
      'a request had no client address (unix socket, or gone after an abort): all such requests are counted under one key, "unknown"',
    )
  }

  #tellForwarded(): void {
    this.#forwarded = false
    this.#warn(
      'SLUICE_PROXY_UNTRUSTED',
      "a request carries X-Forwarded-For, but the framework trusts no proxy: behind one, all clients share the proxy's count; set the framework's proxy trust",
    )
  }
}
