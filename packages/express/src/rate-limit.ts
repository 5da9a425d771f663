import {
  type AnyOptions,
  asError,
  bindingDecision,
  createGate,
  type Decision,
  type Handle,
  type Outcome,
  type ProxyTrust,
  type RateLimitOptions,
  type RequestFacts,
  type Subject,
} from '@sluice/core/http'
import type { NextFunction, Request, RequestHandler, Response } from 'express'

declare global {
  namespace Express {
    interface Request {
      /** The binding decision so far; undefined when skipped. */
      rateLimit?: Decision | undefined
    }
  }
}

function trustOf(req: Request): ProxyTrust {
  const trust: unknown = req.app.get('trust proxy')
  if (trust === true) return 'all'
  return trust === undefined || trust === false || trust === 0 ? 'none' : 'some'
}

function factsOf(req: Request): RequestFacts {
  const path: unknown = req.route?.path
  const route = path === undefined ? undefined : `${req.baseUrl}${String(path)}`
  return { method: req.method, route, ip: req.ip, trust: trustOf(req), headers: req.headers }
}

/**
 * Rate limiting for Express 4 and 5: before all routes, on a router, or on one route.
 *
 * @example
 * app.set('trust proxy', 1) // behind one proxy
 * app.use(rateLimit({ policy: gcra({ count: 100, period: '1m' }), store: redisStore('redis://localhost') }))
 */
export function rateLimit<N extends string = 'default', S = Subject<N>>(
  options: RateLimitOptions<Request, N, S>,
): RequestHandler & Handle<Request, N> {
  const gate = createGate<Request>(options as unknown as AnyOptions<Request>) // names are checked at run time

  function rateLimit(req: Request, res: Response, next: NextFunction): void {
    function proceed({ refusal }: Outcome): void {
      req.rateLimit = bindingDecision(req)
      if (refusal === null) return next()
      res.status(refusal.status).setHeader('Content-Type', refusal.type)
      res.end(refusal.body)
    }
    function fail(thrown: unknown): void {
      req.rateLimit = bindingDecision(req)
      next(asError(thrown))
    }
    let outcome: Outcome | Promise<Outcome>
    try {
      outcome = gate.handle({ request: req, facts: factsOf(req), fields: res, raw: res })
    } catch (thrown) {
      return fail(thrown)
    }
    if (outcome instanceof Promise) outcome.then(proceed, fail)
    else proceed(outcome)
  }

  const handle = {
    limiter: gate.limiter,
    keyOf: (req: Request) => gate.keyOf(req, factsOf(req)),
    decisionFor: (req: Request) => gate.decisionFor(req),
  } as unknown as Handle<Request, N> // the gate was made from options of these names
  return Object.assign(rateLimit, handle)
}
