import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { describe, it } from '@jest/globals'
import {
  advised,
  clients,
  describeAdapter,
  type Exchange,
  inWorld,
  limitersBy,
  listening,
  type Start,
} from '@sluice/conformance/adapter'
import { isRefusedError } from '@sluice/core'
import { guardRequest } from '../src/guard-request.ts'
import { bindingDecision } from '../src/request-state.ts'

const trusted = { none: [], one: ['127.0.0.0/8'], all: ['0.0.0.0/0', '::/0'] } as const

function exchangeOf(request: IncomingMessage, raw: ServerResponse): Exchange {
  return {
    request,
    raw,
    decision: bindingDecision(request),
    set: (name, value) => raw.setHeader(name, value),
    send: (status, body = '') => {
      raw.statusCode = status
      if (typeof body === 'string') raw.end(body)
      else body.pipe(raw)
    },
  }
}

/** Whether a path is that of a route, whose members after a colon are whatever a client writes. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`)
}

/** Builds sites on Node's own server. */
const start: Start = async ({ first, limits, routes, onError, trust, http2, listen }) => {
  const { handles, limiterOf } = limitersBy((options) =>
    guardRequest<IncomingMessage, string>({
      ...options,
      trustProxy:
        typeof trust === 'string'
          ? trusted[trust]
          : advised<{ trustProxy: readonly string[] }>(trust, 'guardRequest')?.trustProxy,
      onError: (error, request, raw) => {
        const exchange = exchangeOf(request, raw as ServerResponse)
        if (onError !== undefined) onError(error, exchange)
        else if (isRefusedError(error)) throw error
        else exchange.send(500, 'broken')
      },
    }),
  )
  const ofAll = limits.map(limiterOf)
  const table = routes.map(({ path, handler, limits: own }) => {
    return { pattern: patternOf(path), handler, limits: [...ofAll, ...own.map(limiterOf)] }
  })
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? '').replace(/[?#].*$/, '')
    const route = table.find(({ pattern }) => pattern.test(path))
    const here = route?.limits ?? ofAll
    try {
      await first?.(exchangeOf(request, response))
      for (const limit of here) if (!(await limit(request, response))) return
      const exchange = exchangeOf(request, response)
      if (route === undefined) exchange.send(404, 'not here')
      else await route.handler(exchange)
    } catch (error) {
      const exchange = exchangeOf(request, response)
      if (onError !== undefined) onError(error, exchange)
      else if (response.headersSent) response.destroy()
      else exchange.send(500, 'broken')
    }
  }
  const server = http2 ? createHttp2Server(serve as never) : createServer(serve)
  return { ...(await listening(server as Server, listen)), handles }
}

const unseen = 'a plain server does not know when a handler ends'

describeAdapter('node:http', start, [
  {
    scenario: "15: an error's own status and fields",
    reason: 'without a framework an error is answered by the program',
  },
  { scenario: 'by the matched route', reason: 'a plain server matches no routes' },
  {
    scenario: 'behind a proxy on a unix socket',
    reason: 'such a proxy has no address that could be trusted',
  },
  { scenario: 'raw writes of a handler that has returned', reason: unseen },
  { scenario: 'is known to work on', reason: unseen },
  { scenario: 'is renewed once that works', reason: unseen },
])

describe('clients that repeat what was refused', () => {
  it.each(clients)('$title', ({ run }) => inWorld(start, run))
})
