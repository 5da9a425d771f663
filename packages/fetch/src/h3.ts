import type { Decision, Subject } from '@sluice/core'
import { optionError } from '@sluice/core/internal'
import type { PolicyOrPoliciesOrLimiter, Refusal } from '@sluice/http'
import {
  type Answer,
  asError,
  checkArguments,
  type HandledOutcome,
  type HeaderPort,
  handleRequest,
  type RequestFacts,
} from '@sluice/http/internal'
import { type Address, clientOf, type Platform } from './facts.ts'
import {
  decisionOf,
  type FetchHandle,
  type KnownAddress,
  RequestLimit,
  withAddress,
} from './request-limit.ts'

/** As much of Node's response as h3 1 shows. */
type NodeResponse = Answer & HeaderPort & { statusCode: number; end(body?: string): unknown }

/** As much of an event of h3 1 as a limiter needs: Node's request and response. */
export interface H3NodeEvent {
  readonly node: {
    readonly req: {
      readonly method?: string | undefined
      readonly headers: RequestFacts['headers']
      readonly socket?: { readonly remoteAddress?: string | undefined } | null | undefined
    }
    readonly res: NodeResponse
  }
  readonly context: H3Context
}

/** As much of an event of h3 2 as a limiter needs. */
export interface H3WebEvent {
  readonly req: Request & { readonly ip?: string | undefined }
  readonly res: { readonly headers: Headers; readonly errHeaders: Headers; status?: number | undefined }
  readonly runtime?: { readonly node?: unknown } | undefined
  readonly context: H3Context
}

interface H3Context {
  readonly matchedRoute?: unknown
  /** The binding decision so far; undefined when skipped. */
  rateLimit?: Decision | undefined
}

type AnyEvent = H3NodeEvent | H3WebEvent

/** A middleware of h3 1 and 2, and of Nitro. */
export interface H3Middleware {
  (event: H3NodeEvent): Promise<void>
  (event: H3WebEvent, next: () => unknown): Promise<unknown>
}

function addressOf(event: AnyEvent): string | undefined {
  return isOfNode(event) ? event.node.req.socket?.remoteAddress : event.req.ip
}

/** Whether it is an event of h3 1. One of h3 2 has a `node` only on Node, but always a `res` with `errHeaders`. */
function isOfNode(event: AnyEvent): event is H3NodeEvent {
  return !('res' in event && 'errHeaders' in event.res)
}

/** The pattern of a router, in either version. */
function routeOf({ context }: AnyEvent): string | undefined {
  const { matchedRoute } = context
  if (typeof matchedRoute !== 'object' || matchedRoute === null) return undefined
  const { path, route } = matchedRoute as { readonly path?: unknown; readonly route?: unknown } // each is looked at
  const pattern = path ?? route
  return typeof pattern === 'string' ? pattern : undefined
}

const h3: Platform<AnyEvent> = {
  // Asked for events of h3 2 alone: those of h3 1 have facts of their own.
  requestOf: (event) => (event as H3WebEvent).req,
  routeOf,
  nodeOf: (event) => (event as H3WebEvent).runtime?.node,
  factsOf: (event, address) => (isOfNode(event) ? nodeFacts(event, address) : undefined),
}

function nodeFacts(event: H3NodeEvent, { peer, proxies }: Address): RequestFacts {
  const { method = 'GET', headers } = event.node.req
  const forwarded = headers['x-forwarded-for']
  return {
    method,
    route: routeOf(event),
    ip: clientOf(typeof forwarded === 'object' ? forwarded.join(', ') : forwarded, { peer, proxies }),
    peer,
    trustsAll: false,
    headers,
  }
}

/** The fields of an answer, kept until h3 2 makes the answer, from a value or from an error. */
class EventFields implements HeaderPort {
  readonly headersSent = false
  readonly #res: H3WebEvent['res']

  constructor(res: H3WebEvent['res']) {
    this.#res = res
  }

  getHeader(lowerName: string): string | undefined {
    return this.#res.headers.get(lowerName) ?? undefined
  }

  setHeader(name: string, value: string): void {
    this.#res.headers.set(name, value)
    this.#res.errHeaders.set(name, value)
  }
}

/** The body of a refusal as a text, not as a Response: h3 2 knows the length of a text. */
function refuse({ res }: H3WebEvent, { status, type, body }: Readonly<Refusal>): string {
  res.status = status
  res.headers.set('Content-Type', type)
  return body
}

/** One limiter for both versions. */
class EventLimit {
  readonly limit: RequestLimit<AnyEvent>

  constructor(options: object) {
    this.limit = new RequestLimit<AnyEvent>(options, h3)
  }

  async onNode(event: H3NodeEvent): Promise<void> {
    const { res } = event.node
    const { refusal } = await this.#ask(event, res, res)
    if (refusal === null || res.headersSent) return
    res.statusCode = refusal.status
    res.setHeader('Content-Type', refusal.type, 'content-type')
    res.end(refusal.body)
  }

  /** Passes an event of h3 2. If no response of Node's says when it is over, only a body that is a stream does. */
  async onWeb(event: H3WebEvent, next: () => unknown): Promise<unknown> {
    const passage = this.limit.enter(event, [])
    let answer: unknown
    try {
      const { refusal, work } = await this.#ask(event, new EventFields(event.res), passage.answer)
      if (refusal === null) {
        work?.begin()
        try {
          answer = await next()
        } finally {
          work?.end()
        }
      } else answer = refuse(event, refusal)
    } catch (thrown) {
      passage.leaveWithout(500)
      throw thrown
    }
    if (answer instanceof Response) return passage.leave(answer)
    passage.leaveWithout(event.res.status ?? 200)
    return answer
  }

  async #ask(event: AnyEvent, fields: HeaderPort, raw: Answer): Promise<HandledOutcome> {
    try {
      const facts = this.limit.factsOf(event, [])
      return await handleRequest(this.limit.gate, { request: event, facts, fields, raw })
    } catch (thrown) {
      const error = asError(thrown)
      // h3 2 would answer with the status of the cause, which may be 200.
      throw error === thrown ? error : Object.assign(error, { status: 500 })
    } finally {
      event.context.rateLimit = decisionOf(event)
    }
  }
}

const ofH3 = 'an event of h3: other frameworks have packages and entries of their own'

/**
 * Rate limiting for h3 1 and 2, and for Nitro: a middleware for all routes, or in the `onRequest` of one.
 *
 * @example
 * app.use(rateLimit({ policy: gcra({ count: 100, period: '1m' }) }))
 * export default rateLimit({ policy }) // server/middleware/limit.ts of Nitro and Nuxt; what `routeRules` redirects or proxies needs a plugin
 */
export function rateLimit<N extends string = 'default', S = Subject<N>, E extends AnyEvent = AnyEvent>(
  options: PolicyOrPoliciesOrLimiter<E, N, S> & KnownAddress<E, readonly []>,
  ...more: []
): H3Middleware & FetchHandle<AnyEvent, N, readonly []> {
  checkArguments(options, more)
  const limit = new EventLimit(withAddress(options, addressOf))

  // h3 2 asks for two parameters, h3 1 passes one.
  async function rateLimit(event: AnyEvent, next?: () => unknown): Promise<unknown> {
    if (!isOfNode(event)) return limit.onWeb(event, next ?? nothing)
    if (event.node === undefined) throw optionError('event', ofH3, event)
    return limit.onNode(event)
  }

  // The mark by which h3 1 knows its handlers.
  return limit.limit.handle(Object.assign(rateLimit, { __is_handler__: true }) as H3Middleware)
}

function nothing(): void {}
