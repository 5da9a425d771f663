import { rateLimit } from '@sluice/koa'
import Koa from 'koa'
import { host } from '../settings.ts'
import { closed, serve } from './serving.ts'

await serve(async (limits) => {
  const app = new Koa()
  app.proxy = true // behind
  app.maxIpsCount = 1 // one proxy
  const handles = limits.map(({ path, options }) => {
    const handle = rateLimit(options)
    app.use((ctx, next) => (ctx.path === path ? handle(ctx, next) : next()))
    return handle
  })
  app.use((ctx) => {
    ctx.body = ctx.state.rateLimit?.source
  })
  const server = app.listen(0, host)
  return {
    server,
    async close() {
      await closed(server)
      for (const { limiter } of handles) await limiter.close()
    },
  }
})
