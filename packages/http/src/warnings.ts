import { headerOf, type RequestFacts, type RequestView } from './request-view.ts'

type Warn = (code: string, message: string) => void

/** Fields that proxies add, by their names in lower case. Of all these, frameworks read X-Forwarded-For alone. */
const proxyFields: ReadonlyMap<string, string> = new Map(
  (
    'Forwarded X-Real-IP X-Client-IP X-Cluster-Client-IP X-Original-Forwarded-For ' +
    'X-Envoy-External-Address True-Client-IP CF-Connecting-IP CF-Connecting-IPv6 ' +
    'CloudFront-Viewer-Address DO-Connecting-IP Fastly-Client-IP Fly-Client-IP Incap-Client-IP ' +
    'X-Appengine-User-IP X-Azure-ClientIP X-Azure-SocketIP X-Nf-Client-Connection-IP ' +
    'X-Sucuri-ClientIP X-Vercel-Forwarded-For X-Forwarded Forwarded-For X-Forwarded-By ' +
    'X-Forwarded-Host X-Forwarded-Port X-Forwarded-Prefix X-Forwarded-Proto X-Forwarded-Protocol ' +
    'X-Forwarded-Scheme X-Forwarded-Server X-Forwarded-Ssl'
  )
    .split(' ')
    .map((name) => [name.toLowerCase(), name]),
)

/**
 * Those that a server such as that of Next.js writes by itself, beside an X-Forwarded-For with the connection's address, if it has one.
 */
const serversFields: ReadonlySet<string> = new Set([
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
])

/** Each has code that trusts one proxy: the suite of adapters runs it on the framework that it names. */
const express = "in Express and Nest on Express app.set('trust proxy', 1)"
const koa = 'in Koa app.proxy = true, app.maxIpsCount = 1'
const web = 'in Web-standard handlers { proxies: 1 }'
/** Fastify trusts nothing by a number. */
const oneProxy = `behind one proxy set ${express}; ${koa}; ${web}; with the addresses of your proxies in Fastify and FastifyAdapter { trustProxy: '10.0.0.0/8' }; in guardRequest, guardUpgrade and gateways { trustProxy: ['10.0.0.0/8'] }`
/** A unix socket has no address that could be trusted. */
const oneProxyOnSocket = `${express}; ${koa}; ${web}; in Fastify and FastifyAdapter { trustProxy: (address, hop) => hop === 0 }`
const together = 'all of them for which the option key finds none are counted under one key, "unknown"'

/** Warns of likely mistakes about who the client is, each once; costs nothing afterwards. */
export class AddressWarnings {
  readonly #warn: Warn
  #proxy = true
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
    if (this.#proxy && ip === peer) this.#lookForProxy(facts)
  }

  #lookForProxy(facts: RequestFacts): void {
    const forwarded = headerOf(facts, 'x-forwarded-for') || undefined
    if (forwarded !== undefined && !names(forwarded, facts)) {
      this.#warnOfProxy('X-Forwarded-For, but its sender is not trusted')
      return
    }
    const mayBeOwn = forwarded !== undefined || facts.peer === undefined
    for (const name in facts.headers) {
      const field = proxyFields.get(name)
      if (field === undefined || names(headerOf(facts, name) ?? '', facts)) continue
      if (mayBeOwn && serversFields.has(name)) continue
      this.#warnOfProxy(`${field}, which is not read: let the proxy in front send X-Forwarded-For besides`)
      return
    }
  }

  #warnOfProxy(what: string): void {
    this.#proxy = false
    this.#warn(
      'SLUICE_PROXY_UNTRUSTED',
      `a request carries ${what}. Behind a proxy all clients share its count: ${oneProxy}`,
    )
  }

  #warnOfTrust(): void {
    this.#trust = false
    this.#warn(
      'SLUICE_TRUST_ALL',
      `the client address is taken from whatever X-Forwarded-For says, so a client can choose it: ${oneProxy}`,
    )
  }

  #warnOfAddress(): void {
    this.#address = false
    this.#warn(
      'SLUICE_NO_ADDRESS',
      `a request has no client address: ${together}. Behind a proxy on a unix socket set ${oneProxyOnSocket}; where ip is your function, it found none; in GraphQL of Nest let the context function of GraphQLModule return the request as { req }; elsewhere set the option key to what tells clients apart`,
    )
  }
}

/** Whether a field is empty but for commas, or names the peer, as it does for a client on the proxy's own machine. */
function names(value: string, { peer }: RequestFacts): boolean {
  return !/[^\s,]/.test(value) || (peer !== undefined && value.includes(peer))
}
