import { createServer } from 'node:http'
import {
  describeAdapter,
  type Exchange,
  limitersBy,
  listening,
  proxiesOf,
  type Running,
  type Start,
} from '@sluice/conformance/adapter'
import { createApp, createRouter, defineEventHandler, type H3Event, toNodeListener } from 'h3-1'
import { rateLimit } from '../src/h3.ts'

function exchangeOf(event: H3Event): Exchange {
  const raw = event.node.res
  return {
    request: event,
    raw,
    decision: event.context.rateLimit,
    set: (name, value) => void raw.setHeader(name, value),
    takeOver: () => {
      event._handled = true
    },
    send: (status, body = '') => {
      raw.statusCode = status
      if (typeof body === 'object') body.pipe(raw)
      else raw.end(body)
    },
  }
}

/** What is not sent by then is sent later, or never. */
const later = new Promise<undefined>(() => {})

const start: Start = async (site) => {
  const { first, onError } = site
  const app = createApp({
    ...(onError === undefined
      ? {}
      : {
          onError: (error, event) =>
            onError(error.cause instanceof Error ? error.cause : error, exchangeOf(event)),
        }),
  })
  const router = createRouter()
  const { handles, limiterOf } = limitersBy((options) =>
    rateLimit<string>({ ...options, proxies: proxiesOf(site) }),
  )
  if (first !== undefined) {
    app.use(
      defineEventHandler(async (event) => {
        await first(exchangeOf(event))
      }),
    )
  }
  for (const options of site.limits) app.use(limiterOf(options) as never)
  for (const { path, limits, handler } of site.routes) {
    router.use(
      path,
      defineEventHandler({
        onRequest: limits.map(limiterOf) as never,
        handler: async (event) => {
          await handler(exchangeOf(event))
          return event.handled ? undefined : later
        },
      }),
    )
  }
  app.use(router)
  return {
    ...(await listening(createServer(toNodeListener(app)), site.listen)),
    handles: handles as unknown as Running['handles'],
  }
}

describeAdapter('h3 1', start, [
  { scenario: '33:', reason: '`proxies` is a number: nobody is believed whatever he writes' },
  { scenario: 'an answer that has begun', reason: 'to h3 1 a request is answered once its head is sent' },
  { scenario: "an error's own status and fields", reason: 'h3 1 takes no fields from an error' },
  { scenario: 'the status that onRefused chose', reason: "h3 1 does not tell an error's message" },
  { scenario: 'HTTP/2', reason: 'h3 1 has no HTTP/2' },
  {
    scenario: 'raw writes of a handler that has returned',
    reason: 'h3 1 does not tell a middleware when a handler ends',
  },
  { scenario: 'is known to work on', reason: 'h3 1 does not tell a middleware when a handler ends' },
  { scenario: 'is renewed once that works', reason: 'h3 1 does not tell a middleware when a handler ends' },
])
