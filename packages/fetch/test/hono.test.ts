import { Readable } from 'node:stream'
import type { HttpBindings } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import {
  describeAdapter,
  type Exchange,
  type Handler,
  limitersBy,
  proxiesOf,
  type Running,
  type Start,
} from '@sluice/conformance/adapter'
import { type Context, Hono } from 'hono'
import type { StatusCode } from 'hono/utils/http-status'
import { rateLimit } from '../src/hono.ts'
import { listen } from './listen.ts'

type Site = { Bindings: HttpBindings }

/** What a handler sends, as Hono's users send it. */
async function answer(c: Context<Site>, handler: Handler): Promise<Response | undefined> {
  let response: Response | undefined
  let takenOver = false
  const raw = c.env.outgoing
  const exchange: Exchange = {
    request: c,
    raw,
    decision: c.var.rateLimit,
    set: (name, value) => c.header(name, value),
    takeOver: () => {
      takenOver = true
    },
    send: (status, body = '') => {
      const content = typeof body === 'string' ? body : (Readable.toWeb(body) as ReadableStream)
      const none = status === 204 || status === 304
      response = c.newResponse(none ? null : content, status as StatusCode)
    },
  }
  await handler(exchange)
  return takenOver || raw.headersSent ? RESPONSE_ALREADY_SENT : response
}

const start: Start = async (site) => {
  const app = new Hono<Site>()
  const { handles, limiterOf } = limitersBy((options) => {
    const proxies = proxiesOf(site)
    return rateLimit<string>({ ...options, ip: (c) => getConnInfo(c).remote.address, proxies })
  })
  const { first, onError } = site
  if (onError !== undefined) {
    app.onError(async (error, c) => {
      const response = await answer(c, (exchange) => onError(error, exchange))
      return response ?? c.body(null, 500)
    })
  }
  if (first !== undefined) {
    app.use(async (c, next) => {
      await answer(c, first)
      await next()
    })
  }
  for (const options of site.limits) app.use(limiterOf(options))
  for (const { path, limits, handler } of site.routes) {
    for (const options of limits) app.all(path, limiterOf(options))
    app.all(path, async (c) => (await answer(c, handler)) ?? c.body(null, 404))
  }
  return {
    handles: handles as unknown as Running['handles'],
    ...(await listen(site, (request, bindings) => app.fetch(request, bindings))),
  }
}

describeAdapter('Hono', start, [
  { scenario: '33:', reason: '`proxies` is a number: nobody is believed whatever he writes' },
  {
    scenario: "an error's own status and fields",
    reason: 'Hono answers any error but its HTTPException with 500',
  },
  {
    scenario: 'after the head was sent',
    reason: 'a handler answers by the Response that it returns: nothing of it begins before',
  },
])
