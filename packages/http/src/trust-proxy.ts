import { canonicalAddress } from './address.ts'
import { readAddressList } from './cidr.ts'
import type { RequestFacts } from './request-view.ts'

/** The proxies that may name the client, where no framework does. */
export interface TrustOptions {
  /** Addresses and CIDR of proxies whose X-Forwarded-For is believed. @default none */
  trustProxy?: readonly string[] | undefined
}

interface Trust {
  /** Whether an address is that of a trusted proxy. */
  readonly has: (address: string) => boolean
  /** Whether everything is believed that a client writes into X-Forwarded-For. */
  readonly all: boolean
}

/** Reserved for documentation (RFC 5737): no proxy has it. */
const stranger = '198.51.100.1'

export function readTrusted(list: unknown): Trust {
  const has = readAddressList(list, 'trustProxy') ?? (() => false)
  return { has, all: has(stranger) }
}

/** A request of Node's own server, HTTP/1 or 2. */
export interface ServerRequest {
  readonly method?: string | undefined
  readonly headers: RequestFacts['headers']
  readonly socket: { readonly remoteAddress?: string | undefined }
}

export function serverFacts(request: ServerRequest, trusted: Trust): RequestFacts {
  const peer = canonicalAddress(request.socket.remoteAddress)
  return {
    method: request.method ?? 'GET',
    route: undefined,
    ip: clientAddress(request, peer, trusted),
    peer,
    trustsAll: trusted.all,
    headers: request.headers,
  }
}

/** What is known of each request, where these proxies are trusted. */
export function factsBy(trustProxy: unknown): (request: ServerRequest) => RequestFacts {
  const trusted = readTrusted(trustProxy)
  return (request) => serverFacts(request, trusted)
}

/** How much of X-Forwarded-For is read, from the end: a chain of proxies is short, what a client invents before it may be long. */
const maxChainLength = 2048

/** The client's address: from the nearest hop on, the first behind every trusted proxy. What a client has written is never reached. */
function clientAddress(request: ServerRequest, peer: string | undefined, trusted: Trust): string | undefined {
  let address = peer
  const chain = chainOf(request.headers['x-forwarded-for'])
  for (let i = chain.length - 1; i >= 0 && address !== undefined && trusted.has(address); i--) {
    const next = canonicalAddress(chain[i])
    // A trusted proxy that names no address is itself the client. undefined for the peer: AddressWarnings then finds no wrong setting.
    if (next === undefined) return address === peer ? undefined : address
    address = next
  }
  return address
}

/** The hops that the nearest proxies have appended. */
function chainOf(header: string | readonly string[] | undefined): readonly string[] {
  if (typeof header !== 'string') return []
  const chain = header.slice(-maxChainLength).split(',')
  // The first member may be cut in its middle, and read as another address: it counts as no address.
  if (header.length > maxChainLength) chain[0] = ''
  return chain
}
