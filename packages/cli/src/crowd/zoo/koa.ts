import type { RequestListener } from 'node:http'
import { rateLimit } from '@sluice/koa'
import Koa, { type Context } from 'koa'
import type { EndpointAnswer, LoadTestEndpoint } from '../../endpoint/index.ts'
import { ticketsRun } from './routes.ts'

export function koaTickets(endpoint: LoadTestEndpoint): RequestListener {
  const app = new Koa()
  app.use(async (ctx, next) => {
    const turnedAway = endpoint.enter(ctx.req, ticketsRun(ctx.path) ?? '')
    if (turnedAway === null) await next()
    else give(ctx, turnedAway)
  })
  app.use(rateLimit(endpoint.limits))
  app.use(async (ctx) => give(ctx, await endpoint.sell(ctx.req)))
  return app.callback()
}

function give(ctx: Context, { status, headers, body }: EndpointAnswer): void {
  ctx.status = status
  ctx.set(Object.fromEntries(headers))
  ctx.body = body
}
