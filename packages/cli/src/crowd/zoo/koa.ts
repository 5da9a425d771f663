import type { RequestListener } from 'node:http'
import type { Stand, StandAnswer } from '@sluice/crowd'
import { rateLimit } from '@sluice/koa'
import Koa, { type Context } from 'koa'
import { ticketsRun } from './routes.ts'

export function koaTickets(stand: Stand): RequestListener {
  const app = new Koa()
  app.use(async (ctx, next) => {
    const turnedAway = stand.enter(ctx.req, ticketsRun(ctx.path) ?? '')
    if (turnedAway === null) await next()
    else give(ctx, turnedAway)
  })
  app.use(rateLimit(stand.limits))
  app.use(async (ctx) => give(ctx, await stand.sell(ctx.req)))
  return app.callback()
}

function give(ctx: Context, { status, headers, body }: StandAnswer): void {
  ctx.status = status
  ctx.set(Object.fromEntries(headers))
  ctx.body = body
}
