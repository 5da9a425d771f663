import type { mergeWith, RequestFacts } from '@sluice/http/internal'

/** Fields that are on the answer before a handler makes one. */
export type OtherFields = Parameters<typeof mergeWith>[1]

/** How a platform shows a request. */
export interface Platform<Req> {
  /** The Web-standard request. */
  requestOf(request: Req): Request
  /** The pattern of the route that has matched. */
  routeOf(request: Req): string | undefined
  /** The object that holds Node's own request and response, if the platform runs on Node and shows them. */
  nodeOf?(request: Req, rest: readonly unknown[]): unknown
  /** Whether the client of a request without an address has reset the connection, which takes the address away. */
  isReset?(request: Req, rest: readonly unknown[]): boolean
  /** The facts of a request that is no Web-standard one. */
  factsOf?(request: Req, address: Address): RequestFacts | undefined
  /** The fields that are on the answer before a handler makes one, if the platform drops fields of the handler's that are there already. */
  earlierFields?(): OtherFields | undefined
}

/** Where a request comes from, and through how many proxies of one's own. */
export interface Address {
  readonly peer: string | undefined
  readonly proxies: number
}

/** The facts of a request. */
export class WebFacts<Req> implements RequestFacts {
  readonly ip: string | undefined
  readonly peer: string | undefined
  readonly trustsAll = false
  readonly #request: Req
  readonly #platform: Platform<Req>
  #headers: RequestFacts['headers'] | undefined

  constructor(request: Req, platform: Platform<Req>, address: Address) {
    this.#request = request
    this.#platform = platform
    this.peer = address.peer
    const { headers } = platform.requestOf(request)
    this.ip = address.proxies === 0 ? address.peer : clientOf(headers.get('x-forwarded-for'), address)
  }

  get method(): string {
    return this.#platform.requestOf(this.#request).method
  }

  get route(): string | undefined {
    return this.#platform.routeOf(this.#request)
  }

  get headers(): RequestFacts['headers'] {
    this.#headers ??= recordOf(this.#platform.requestOf(this.#request).headers)
    return this.#headers
  }
}

/** Without a prototype: a client may ask for `constructor`. */
function recordOf(headers: Headers): RequestFacts['headers'] {
  const record: { [name: string]: string } = Object.create(null)
  headers.forEach((value, name) => {
    record[name] = value
  })
  return record
}

/**
 * The client's address: the member of X-Forwarded-For that the outermost of so many proxies has appended; the first where there are
 * fewer. What a client itself has written stands before it, however long.
 */
export function clientOf(list: string | null | undefined, { peer, proxies }: Address): string | undefined {
  if (proxies === 0 || list === null || list === undefined) return peer
  let end = list.length
  for (let proxy = 1; ; proxy++) {
    const comma = end === 0 ? -1 : list.lastIndexOf(',', end - 1)
    if (comma < 0 || proxy === proxies) return list.slice(comma + 1, end)
    end = comma
  }
}
