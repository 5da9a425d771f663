import type { Decision, Subject } from '@sluice/core'
import { isLater, optionError } from '@sluice/core/internal'
import type { Handle, Outcome, PolicyOrPoliciesOrLimiter } from '@sluice/http'
import {
  type AnyRouteMiddleware,
  asError,
  bindingDecision,
  checkArguments,
  createGate,
  type HeaderPort,
  handleRequest,
  type RequestFacts,
  withHandle,
} from '@sluice/http/internal'
import type { NextFunction, Request, Response } from 'express'

/** Nothing where the application has declared a `rateLimit` of `Express.Request` itself, as users of express-rate-limit do. */
type RateLimitedMessage = 'rateLimit' extends keyof Express.Request
  ? object
  : {
      /** The binding decision so far; undefined when skipped. */
      rateLimit?: Decision | undefined
    }

// Not of `Express.Request`: there it would be a second declaration beside the application's, which the compiler refuses. Whether the
// application has one can be seen only from a type that does not extend it.
declare module 'http' {
  interface IncomingMessage extends RateLimitedMessage {}
}

/**
 * Before Node 24, Express gives each request and response a hidden class of its own: V8 would make an inline cache at each access, at
 * ten times the price, and never use it again. `Reflect.get` makes none.
 */
function read<T extends object, K extends keyof T>(from: T, name: K): T[K] {
  return Reflect.get(from, name)
}

class ExpressFacts implements RequestFacts {
  readonly ip: string | undefined
  readonly peer: string | undefined
  readonly trustsAll: boolean
  readonly headers: RequestFacts['headers']
  readonly #req: Request

  constructor(req: Request) {
    this.ip = read(req, 'ip')
    this.peer = read(req, 'socket').remoteAddress
    this.trustsAll = read(req, 'app').get('trust proxy') === true
    this.headers = read(req, 'headers')
    this.#req = req
  }

  get method(): string {
    return this.#req.method
  }

  /** The pattern without `baseUrl`, which under a mounted router is what the client typed. */
  get route(): string | undefined {
    const path: unknown = this.#req.route?.path
    return path === undefined ? undefined : String(path)
  }
}

class ExpressFields implements HeaderPort {
  readonly #res: Response

  constructor(res: Response) {
    this.#res = res
  }

  get headersSent(): boolean {
    return read(this.#res, 'headersSent')
  }

  getHeader(name: string): unknown {
    return read(this.#res, 'getHeader').call(this.#res, name)
  }

  setHeader(name: string, value: string): void {
    read(this.#res, 'setHeader').call(this.#res, name, value)
  }
}

const ofExpress = 'a request of Express, with res and next: other frameworks have packages of their own'

function factsOf(req: Request): RequestFacts {
  return new ExpressFacts(req)
}

/** Whether the request goes on; answers a refused one. */
function goesOn({ refusal }: Outcome, req: Request, res: Response): boolean {
  Object.assign(req, { rateLimit: bindingDecision(req) })
  if (refusal === null) return true
  if (!res.headersSent) res.status(refusal.status).setHeader('Content-Type', refusal.type).end(refusal.body)
  return false
}

function fail(thrown: unknown, req: Request, next: NextFunction): void {
  Object.assign(req, { rateLimit: bindingDecision(req) })
  next(asError(thrown))
}

async function later(
  outcome: Promise<Outcome>,
  { req, res, next }: { req: Request; res: Response; next: NextFunction },
): Promise<void> {
  try {
    if (goesOn(await outcome, req, res)) next()
  } catch (thrown) {
    fail(thrown, req, next)
  }
}

/**
 * Rate limiting for Express 4 and 5: for all routes, on a router, or on one route.
 *
 * @example
 * app.use(rateLimit({ policy: gcra({ count: 100, period: '1m' }), store: redisStore('redis://localhost') }))
 */
export function rateLimit<N extends string = 'default', S = Subject<N>>(
  options: PolicyOrPoliciesOrLimiter<Request, N, S>,
): ((...given: Parameters<AnyRouteMiddleware>) => void) & Handle<Parameters<AnyRouteMiddleware>[0], N>
export function rateLimit<N extends string, S>(
  options: PolicyOrPoliciesOrLimiter<Request, N, S>,
  more?: unknown,
): AnyRouteMiddleware & Handle<Parameters<AnyRouteMiddleware>[0], N> {
  checkArguments(options, [more])
  const gate = createGate<Request, N, S>(options)

  function rateLimit(req: Request, res: Response, next: NextFunction): void {
    if (next === undefined) throw optionError('req', ofExpress, req)
    try {
      const outcome = handleRequest(gate, {
        request: req,
        facts: new ExpressFacts(req),
        fields: new ExpressFields(res),
        raw: res,
      })
      if (isLater(outcome)) void later(outcome, { req, res, next })
      else if (goesOn(outcome, req, res)) next()
    } catch (thrown) {
      // The application is of another framework.
      if (req.app === undefined) throw optionError('req', ofExpress, req)
      fail(thrown, req, next)
    }
  }

  // Express hands it nothing but requests and responses of its own.
  return withHandle(rateLimit as AnyRouteMiddleware, gate, factsOf) as AnyRouteMiddleware &
    Handle<Parameters<AnyRouteMiddleware>[0], N>
}
