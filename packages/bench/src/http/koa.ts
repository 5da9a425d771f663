import type { Server } from 'node:http'
import Koa, { type Middleware } from 'koa'
import { type Place, wideLimit, windowMs } from '../asking/work.ts'
import { koaPlace, ratelimit } from '../others/koa-ratelimit.ts'
import { flexible, flexibleFields, host, type Limiting, sluiceOf } from './limits.ts'

async function middlewareOf(limiting: Exclude<Limiting, 'bare'>, place: Place): Promise<Middleware> {
  switch (limiting) {
    case 'own':
      return ratelimit({ ...koaPlace(place), duration: windowMs, max: wideLimit })
    case 'rate-limiter-flexible': {
      const limiter = flexible(place)
      return async (ctx, next) => {
        try {
          for (const [name, value] of flexibleFields(await limiter.consume(ctx.ip))) ctx.set(name, value)
        } catch {
          ctx.status = 429
          ctx.body = 'Too Many Requests'
          return
        }
        await next()
      }
    }
    default: {
      const name = '@sluice/koa'
      const { adapter, options } = await sluiceOf(limiting, {
        place,
        name,
        adapter: () => import('@sluice/koa'),
      })
      return adapter.rateLimit(options)
    }
  }
}

export async function serveKoa(limiting: Limiting, place: Place): Promise<Server> {
  const app = new Koa()
  app.proxy = true // behind
  app.maxIpsCount = 1 // one proxy
  if (limiting !== 'bare') app.use(await middlewareOf(limiting, place))
  app.use((ctx) => {
    ctx.body = 'ok'
  })
  return app.listen(0, host)
}
