import type { Decision, Handle, Outcome, RateLimitOptions, Subject } from '@sluice/core/http'
import {
  asError,
  bindingDecision,
  createGate,
  handleOnNode,
  type RequestFacts,
  withHandle,
} from '@sluice/core/internal'
import type { NextFunction, Request, RequestHandler, Response } from 'express'

declare global {
  namespace Express {
    interface Request {
      /** The binding decision so far; undefined when skipped. */
      rateLimit?: Decision | undefined
    }
  }
}

function factsOf(req: Request): RequestFacts {
  const path: unknown = req.route?.path
  // Under a mounted router, `baseUrl` is what the client typed.
  const route = path === undefined ? undefined : String(path)
  return {
    method: req.method,
    route,
    ip: req.ip,
    peer: req.socket.remoteAddress,
    trustsAll: req.app.get('trust proxy') === true,
    headers: req.headers,
  }
}

/**
 * Rate limiting for Express 4 and 5: for all routes, on a router, or on one route.
 *
 * @example
 * app.set('trust proxy', 1) // behind one proxy
 * app.use(rateLimit({ policy: gcra({ count: 100, period: '1m' }), store: redisStore('redis://localhost') }))
 */
export function rateLimit<N extends string = 'default', S = Subject<N>>(
  options: RateLimitOptions<Request, N, S>,
): RequestHandler & Handle<Request, N> {
  const gate = createGate<Request, N, S>(options)

  function rateLimit(req: Request, res: Response, next: NextFunction): void {
    function proceed({ refusal }: Outcome): void {
      req.rateLimit = bindingDecision(req)
      if (refusal === null) next()
      else if (!res.headersSent)
        res.status(refusal.status).setHeader('Content-Type', refusal.type).end(refusal.body)
    }
    function fail(thrown: unknown): void {
      req.rateLimit = bindingDecision(req)
      next(asError(thrown))
    }
    try {
      const outcome = handleOnNode(gate, { request: req, facts: factsOf(req), fields: res, raw: res })
      if (outcome instanceof Promise) outcome.then(proceed).catch(fail)
      else proceed(outcome)
    } catch (thrown) {
      fail(thrown)
    }
  }

  return withHandle(rateLimit, gate, factsOf)
}
