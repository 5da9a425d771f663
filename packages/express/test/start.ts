import { createServer } from 'node:http'
import { advised, type Exchange, limitersBy, listening, type Start } from '@sluice/conformance/adapter'
import type { Express, NextFunction, Request, RequestHandler, Response } from 'express'
import { rateLimit } from '../src/index.ts'

function exchangeOf(request: Request, raw: Response): Exchange {
  return {
    request,
    raw,
    decision: request.rateLimit,
    set: (name, value) => raw.setHeader(name, value),
    send: (status, body = '') => {
      raw.status(status)
      if (typeof body === 'string') raw.send(body)
      else body.pipe(raw)
    },
  }
}

/** Express 4 does not look at what a handler returns: programs hand a rejection to `next`. */
function asHandler(
  handle: (exchange: Exchange) => unknown,
  then: (next: NextFunction) => void,
): RequestHandler {
  return (request, response, next) => {
    const done = handle(exchangeOf(request, response))
    if (done instanceof Promise) done.then(() => then(next), next)
    else then(next)
  }
}

/** Builds sites on one major of Express. */
export function startOn(express: () => Express): Start {
  return async function start({ first, limits, routes, onError, trust, listen }) {
    const app = express()
    const { handles, limiterOf } = limitersBy((options) => rateLimit<string>(options))
    if (trust === 'one' || trust === 'all') app.set('trust proxy', trust === 'all' ? true : 1)
    advised(trust, 'Express', { app })
    if (first !== undefined) app.use(asHandler(first, (next) => next()))
    for (const options of limits) app.use(limiterOf(options))
    for (const route of routes) {
      app.all(
        route.path,
        ...route.limits.map(limiterOf),
        asHandler(route.handler, () => {}),
      )
    }
    app.use((error: unknown, request: Request, response: Response, next: NextFunction) => {
      if (onError === undefined) next(error)
      else onError(error, exchangeOf(request, response))
    })
    return { ...(await listening(createServer(app), listen)), handles }
  }
}
