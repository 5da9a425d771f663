import { createServer } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { Readable } from 'node:stream'
import {
  describeAdapter,
  type Exchange,
  limitersBy,
  listening,
  proxiesOf,
  type Running,
  type Start,
} from '@sluice/conformance/adapter'
import { fromNodeMiddleware, H3, type H3Event, toNodeHandler } from 'h3'
import { rateLimit } from '../src/h3.ts'

interface Sending extends Exchange {
  readonly answer: unknown
  readonly takenOver: boolean
}

function exchangeOf(event: H3Event): Sending {
  let answer: unknown
  let takenOver = false
  return {
    request: event,
    raw: event.runtime?.node?.res as unknown as Exchange['raw'], // Node's, as it runs there
    decision: event.context.rateLimit as Exchange['decision'],
    get answer() {
      return answer
    },
    get takenOver() {
      return takenOver
    },
    takeOver: () => {
      takenOver = true
    },
    set: (name, value) => {
      event.res.headers.set(name, value)
      event.res.errHeaders.set(name, value)
    },
    send: (status, body = '') => {
      event.res.status = status
      answer = typeof body === 'object' ? Readable.toWeb(body) : body
    },
  }
}

/** One that does not go on is over when Node's response is. */
const untilClosed = fromNodeMiddleware((_request, _response, _next) => {})

const start: Start = async (site) => {
  const { first, onError } = site
  const app = new H3({
    silent: true,
    ...(onError === undefined
      ? {}
      : {
          onError: (error, event) => {
            const exchange = exchangeOf(event)
            onError(error.cause instanceof Error ? error.cause : error, exchange)
            return exchange.answer
          },
        }),
  })
  const { handles, limiterOf } = limitersBy((options) =>
    rateLimit<string>({ ...options, proxies: proxiesOf(site) }),
  )
  if (first !== undefined) {
    app.use(async (event, next) => {
      await first(exchangeOf(event))
      return next()
    })
  }
  for (const options of site.limits) app.use(limiterOf(options))
  for (const { path, limits, handler } of site.routes) {
    const middleware = limits.map(limiterOf)
    app.all(
      path,
      async (event) => {
        const exchange = exchangeOf(event)
        await handler(exchange)
        if (exchange.takenOver && !exchange.raw.destroyed) return untilClosed(event)
        return exchange.answer ?? null
      },
      { middleware },
    )
  }
  const listener = toNodeHandler(app) as unknown as Parameters<typeof createServer>[1]
  const create = (site.http2 ? createHttp2Server : createServer) as typeof createServer
  const server = create(listener ?? (() => {}))
  return {
    ...(await listening(server, site.listen)),
    handles: handles as unknown as Running['handles'],
  }
}

describeAdapter('h3 2', start, [
  { scenario: '33:', reason: '`proxies` is a number: nobody is believed whatever he writes' },
  { scenario: 'the status that onRefused chose', reason: "h3 2 does not tell an error's message" },
  { scenario: 'gone with its address unread', reason: 'h3 2 still knows the address of who has gone' },
  {
    scenario: 'who is on the deny list reaches no handler by hanging up',
    reason: 'h3 2 still knows the address of who has gone, and denies it',
  },
  { scenario: 'destroyed before the decision', reason: 'h3 2 still knows the address of who has gone' },
])
