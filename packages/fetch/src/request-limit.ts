import type { Decision, Subject } from '@sluice/core'
import { optionalFunction, optionError, wholeNumber } from '@sluice/core/internal'
import type { Handle, Refusal } from '@sluice/http'
import {
  type AnyOptions,
  asError,
  bindingDecision,
  bringFields,
  createGate,
  type Gate,
  type HandledOutcome,
  handleRequest,
  type RequestFacts,
  withHandle,
  writtenFields,
} from '@sluice/http/internal'
import { type Platform, WebFacts } from './facts.ts'
import { nodeExchange } from './node-exchange.ts'
import { hasNoBody, Passage } from './passage.ts'

/** Finds the client's address. `rest` is what the platform hands to a handler besides the request. */
export type AddressOf<Req, Rest extends readonly unknown[]> = (
  request: Req,
  ...rest: Rest
) => string | null | undefined

/** Options of every platform. */
export interface AddressOptions<Req, Rest extends readonly unknown[]> {
  /**
   * The address that the connection comes from; undefined or null where there is none. Not a field that clients can write.
   *
   * @example (request, server) => server.requestIP(request)?.address
   */
  ip: AddressOf<Req, Rest>
  /**
   * How many proxies of your own stand in front of the server, each of which appends its client to X-Forwarded-For: the address that
   * the outermost has appended is the client's. One too many, and a client can choose its address. @default 0
   *
   * @example 1 // behind nginx with `proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for`
   */
  proxies?: number | undefined
}

/** Servers on Node show its own request and response with the request, like this, or beside it. */
interface OnNode {
  readonly runtime?: { readonly node?: unknown } | undefined
}

export const bare: Platform<Request> = {
  requestOf: (request) => request,
  routeOf: () => undefined,
  nodeOf: (request, [beside]) => (request as OnNode).runtime?.node ?? beside,
}

/** Options where the platform knows the address: `ip` replaces the platform's way to find it. */
export type KnownAddress<Req, Rest extends readonly unknown[]> = Partial<AddressOptions<Req, Rest>>

/** Options with the platform's own way to find the address. */
export function withAddress<Req, Rest extends readonly unknown[]>(
  options: KnownAddress<Req, Rest>,
  ip: AddressOf<Req, Rest>,
): object {
  return { ...options, ip: options?.ip === undefined ? ip : options.ip }
}

/** What the platform hands to a handler besides the request. A handler around this one may forget to hand it on. */
export function besides<T extends object>(given: T | undefined, name: string): T {
  if (given !== undefined) return given
  const expected = `what the platform hands over besides the request: write (request, ${name}) => handler(request, ${name})`
  throw optionError(name, expected, given)
}

const noAddress =
  'a function that finds the address of a request; with () => undefined and proxies: 1 it is what one proxy in front says'
const aRequest =
  "a Request; for Node's own, as of pages/api in Next.js, there is guardRequest of @sluice/http"

/** The facts of a request as one limiter sees them, before those that others have found. */
class Found {
  readonly limit: object
  readonly facts: RequestFacts
  readonly before: Found | undefined

  constructor(limit: object, facts: RequestFacts, before: Found | undefined) {
    this.limit = limit
    this.facts = facts
    this.before = before
  }
}

/** What the limiters of one request share. */
class Seen {
  readonly request: object
  passage: Passage | undefined
  found: Found | undefined

  constructor(request: object) {
    this.request = request
  }
}

// At a property, and in no WeakMap: decision/lane.ts of core says why.
const mark = Symbol('sluice.seen')

function seenOf(request: { readonly [mark]?: Seen }): Seen {
  const known = request[mark]
  // A copy of the request has the property too.
  if (known?.request === request) return known
  const seen = new Seen(request)
  Reflect.set(request, mark, seen)
  return seen
}

/** One limiter on the requests of a platform. */
export class RequestLimit<Req extends object> {
  readonly gate: Gate<Req>
  readonly #platform: Platform<Req>
  readonly #ip: AddressOf<Req, readonly unknown[]>
  readonly #proxies: number

  constructor(given: object, platform: Platform<Req>) {
    this.gate = createGate<Req>(given as AnyOptions<Req>, ['ip', 'proxies']) // names are checked there
    const { ip, proxies = 0 } = given as Partial<AddressOptions<Req, readonly unknown[]>> // each is looked at
    optionalFunction(ip, 'ip')
    if (ip === undefined) throw optionError('ip', noAddress, ip)
    this.#ip = ip
    this.#proxies = wholeNumber(proxies, 'proxies', 0)
    this.#platform = platform
  }

  /** Notes that a request arrives; `leave` or `leaveWithout` of its passage must follow. */
  enter(request: Req, rest: readonly unknown[]): Passage {
    // A test may call a route's handler without a request.
    if (Object(request) !== request) throw optionError('request', aRequest, request)
    const seen = seenOf(request)
    seen.passage ??= this.#passageOf(request, rest)
    seen.passage.enter()
    return seen.passage
  }

  #passageOf(request: Req, rest: readonly unknown[]): Passage {
    const web = this.#platform.requestOf(request)
    if (typeof web?.headers?.get !== 'function') throw optionError('request', aRequest, request)
    const node = nodeExchange(this.#platform.nodeOf?.(request, rest))
    return new Passage(web, node, this.#platform.earlierFields?.())
  }

  /** Asks the limiter. Throws what the user's own functions throw, and a RefusedError where refusals are errors. */
  async ask(passage: Passage, request: Req, rest: readonly unknown[]): Promise<HandledOutcome> {
    try {
      const facts = this.factsOf(request, rest)
      if (facts.peer === undefined && this.#platform.isReset?.(request, rest) === true) passage.destroy()
      return await handleRequest(this.gate, { request, facts, fields: passage, raw: passage.answer })
    } catch (thrown) {
      throw asError(thrown)
    }
  }

  factsOf(request: Req, rest: readonly unknown[]): RequestFacts {
    const seen = seenOf(request)
    for (let found = seen.found; found !== undefined; found = found.before)
      if (found.limit === this) return found.facts
    const address = { peer: readPeer(this.#ip(request, ...rest)), proxies: this.#proxies }
    const facts = this.#platform.factsOf?.(request, address) ?? new WebFacts(request, this.#platform, address)
    seen.found = new Found(this, facts, seen.found)
    return facts
  }

  /** Adds to a limited handler the members of a handle. */
  handle<M extends object, N extends string, Rest extends readonly unknown[]>(
    limited: M,
  ): M & FetchHandle<Req, N, Rest> {
    const handle = withHandle<M, Req, N>(limited, this.gate, (request) => this.factsOf(request, []))
    const keyOf = (request: Req, ...rest: Rest) => this.gate.keyOf(request, this.factsOf(request, rest))
    return Object.assign(handle, { keyOf }) as unknown as M & FetchHandle<Req, N, Rest> // of these names
  }
}

/** The members of a limiter: its own limiter, the keys of a request, and its own decision. */
export interface FetchHandle<Req, N extends string, Rest extends readonly unknown[]>
  extends Pick<Handle<Req, N>, 'limiter' | 'decisionFor'> {
  /** `rest` is what the platform hands to a handler besides: `ip` may need it for a request that was not seen yet. */
  keyOf(request: Req, ...rest: Rest): Promise<Subject<N>>
}

/** Reads the result of `ip`, which may be null for a header that is missing. */
function readPeer(address: unknown): string | undefined {
  if (address === undefined || address === null) return undefined
  if (typeof address === 'string') return address
  throw optionError('ip', 'a function that returns a string, or undefined where there is no address', address)
}

/** The answer to a request that is refused. */
export function refusalResponse({ status, type, body }: Readonly<Refusal>): Response {
  return new Response(hasNoBody(status) ? null : body, { status, headers: { 'Content-Type': type } })
}

/** Ends a passage whose limiter or handler has thrown: the error brings the fields, as there is no response yet. */
export function failed(thrown: unknown, request: object, passage: Passage): void {
  bringFields(thrown, request)
  passage.leaveWithout(500)
}

/**
 * The decision that binds most of all limiters that a request has met; undefined while none has counted it. Of Hono it takes the context, of
 * h3 and SvelteKit the event.
 */
export function decisionOf(request: object): Decision | undefined {
  return bindingDecision(request)
}

/**
 * The fields that limiters have set for a request, by their names in lower case: for an answer that is made outside of them, as by an
 * error handler. An error that was thrown inside has them as its `headers`.
 */
export function fieldsOf(request: object): Readonly<Record<string, string>> {
  return writtenFields(request)
}
