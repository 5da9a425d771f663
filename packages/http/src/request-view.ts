import type { Decision, Warning } from '@sluice/core'
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

/** Code that trusts one proxy: the suite of adapters runs it on the framework that it names. */
const byNumber =
  "in Express and Nest on Express app.set('trust proxy', 1); in Koa app.proxy = true, app.maxIpsCount = 1; in Web-standard handlers { proxies: 1 }"
/** Fastify trusts nothing by a number. */
const oneProxy = `behind one proxy set ${byNumber}; with the addresses of your proxies in Fastify and FastifyAdapter { trustProxy: '10.0.0.0/8' }; in guardRequest, guardUpgrade and gateways { trustProxy: ['10.0.0.0/8'] }`
/** A unix socket has no address that could be trusted. */
const oneProxyOnSocket = `${byNumber}; in Fastify and FastifyAdapter { trustProxy: (address, hop) => hop === 0 }`
const together = 'those for which the option key finds none share the key "unknown"'

// Each warning is one object for all limiters: so a logger prints it once.
const trustsAnybody: Warning = {
  code: 'SLUICE_TRUST_ALL',
  message: `the client address is taken from whatever X-Forwarded-For says, so a client can choose it: ${oneProxy}`,
}
const noAddress: Warning = {
  code: 'SLUICE_NO_ADDRESS',
  message: `a request has no client address: ${together}. Behind a proxy on a unix socket set ${oneProxyOnSocket}; where ip is your function, it found none; in GraphQL of Nest let the context function of GraphQLModule return the request as { req }; elsewhere set the option key to what tells clients apart`,
}
const senderUntrusted = proxyUntrusted('X-Forwarded-For, but its sender is not trusted')

/** Of fields that proxies add, by their names in lower case. Of all these, frameworks read X-Forwarded-For alone. */
const notRead: ReadonlyMap<string, Warning> = new Map(
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
    .map((name) => [
      name.toLowerCase(),
      proxyUntrusted(`${name}, which is not read: let the proxy in front send X-Forwarded-For besides`),
    ]),
)

function proxyUntrusted(what: string): Warning {
  return {
    code: 'SLUICE_PROXY_UNTRUSTED',
    message: `a request carries ${what}. Behind a proxy all clients share its count: ${oneProxy}`,
  }
}

/** A server such as that of Next.js writes these by itself, beside an X-Forwarded-For with the connection's address, if it has one. */
const ofServer = /^x-forwarded-(host|port|proto)$/

/** What passes warnings on, as a limiter does. */
interface Warned {
  warned?(warning: Warning): void
}

/** Warns of likely mistakes about who the client is; the limiter reports each once. Once a proxy was found, no more fields are read. */
export class AddressWarnings {
  readonly #limiter: Warned
  #reads = true

  constructor(limiter: Warned) {
    this.#limiter = limiter
  }

  look(view: RequestView, facts: RequestFacts): void {
    const { ip, peer, trustsAll } = facts
    if (trustsAll) this.#limiter.warned?.(trustsAnybody)
    if (view.address === undefined) this.#limiter.warned?.(noAddress)
    // The framework names the connection's own address where it believes nothing that was forwarded.
    const ofProxy = this.#reads && ip === peer ? warningOfProxy(facts) : undefined
    if (ofProxy === undefined) return
    this.#reads = false
    this.#limiter.warned?.(ofProxy)
  }
}

/** The warning for a request that came through a proxy which is not trusted; undefined where no field shows one. */
function warningOfProxy(facts: RequestFacts): Warning | undefined {
  const forwarded = headerOf(facts, 'x-forwarded-for') || undefined
  if (forwarded !== undefined && !names(forwarded, facts)) return senderUntrusted
  const mayBeOwn = forwarded !== undefined || facts.peer === undefined
  for (const name in facts.headers) {
    const warning = notRead.get(name)
    if (warning === undefined || names(headerOf(facts, name) ?? '', facts)) continue
    if (!(mayBeOwn && ofServer.test(name))) return warning
  }
  return undefined
}

/** Whether a field is empty but for commas, or names the peer, as it does for a client on the proxy's own machine. */
function names(value: string, { peer }: RequestFacts): boolean {
  return !/[^\s,]/.test(value) || (peer !== undefined && value.includes(peer))
}
