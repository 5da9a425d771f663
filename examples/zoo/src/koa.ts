import { createServer, type Server } from 'node:http'
import Router, { type RouterContext } from '@koa/router'
import type { LoadTestEndpoint } from '@sluice/cli/endpoint'
import { rateLimit } from '@sluice/koa'
import Koa, { type Context, type Next } from 'koa'
import { type Answer, answerOf } from './answer.ts'
import { takeOrder } from './order.ts'
import { safeHeaders } from './pages.ts'
import { problemAnswer } from './problem.ts'
import type { Zoo } from './zoo.ts'

export function koaServer(zoo: Zoo): Server {
  const app = new Koa()
  // Koa would print each aborted request; problemAnswer prints our own errors.
  app.silent = true
  app.use(async (ctx, next) => {
    ctx.set(safeHeaders)
    try {
      await next()
    } catch (error) {
      give(ctx, problemAnswer(error))
    }
  })
  const router = new Router({ sensitive: true, strict: true })
  router.get('/attractions', async (ctx) => give(ctx, await zoo.look(ctx.url)))
  for (const booth of zoo.booths) {
    router.post(booth.path, order, rateLimit(booth.limits), (ctx) => give(ctx, booth.sell(ctx)))
  }
  for (const booth of zoo.askingBooths) {
    router.post(booth.path, order, rateLimit(booth.door), async (ctx) =>
      give(ctx, await booth.sell(ctx, ctx.req)),
    )
  }
  const { queueBooth } = zoo
  router.post(queueBooth.path, order, async (ctx) => give(ctx, await queueBooth.sell(ctx)))
  router.get(`${queueBooth.path}/:ticket`, async (ctx) =>
    give(ctx, await queueBooth.ticket(ctx.params.ticket ?? '')),
  )
  router.get('/metrics', async (ctx) => give(ctx, await zoo.metrics.read()))
  router.all(/^\/dashboard(?:\/|$)/, (ctx) => {
    ctx.respond = false
    zoo.dashboard(ctx.req, ctx.res)
  })
  if (zoo.crowd !== undefined) serveCrowd(router, zoo.crowd)
  app.use(router.routes())
  app.use((ctx) => give(ctx, zoo.elsewhere(ctx.method, ctx.url)))
  return createServer(app.callback())
}

/** The routes of the load-test endpoint. */
function serveCrowd(router: Router, crowd: LoadTestEndpoint): void {
  async function enter(ctx: RouterContext, next: Next): Promise<void> {
    const turnedAway = crowd.enter(ctx.req, ctx.params.run ?? '')
    if (turnedAway === null) await next()
    else give(ctx, answerOf(turnedAway))
  }
  router.all('/crowd', async (ctx) => give(ctx, answerOf(await crowd.answer(ctx.req))))
  router.all('/crowd/:run', async (ctx) => give(ctx, answerOf(await crowd.answer(ctx.req, ctx.params.run))))
  router.post('/crowd/:run/tickets', enter, rateLimit(crowd.limits), async (ctx) =>
    give(ctx, answerOf(await crowd.sell(ctx.req))),
  )
}

async function order(ctx: Context, next: Next): Promise<void> {
  await takeOrder(ctx, ctx.req)
  await next()
}

function give(ctx: Context, { status, headers, body }: Answer): void {
  ctx.status = status
  ctx.set(headers)
  ctx.body = body
}
