import { createServer } from 'node:http'
import { describeFront, portOf } from '@sluice/conformance/adapter'
import { mergeUpstream } from '@sluice/http'
import Koa from 'koa'
import { request } from 'undici'
import { rateLimit } from '../src/index.ts'

describeFront('Koa with undici', async (port, options) => {
  const app = new Koa()
  app.use(rateLimit(options))
  app.use(async (ctx) => {
    const answer = await request(`http://127.0.0.1:${port}${ctx.url}`)
    ctx.status = answer.statusCode
    for (const [name, value] of Object.entries(mergeUpstream(ctx, answer.headers)))
      if (value !== undefined) ctx.set(name, value)
    ctx.body = answer.body
  })
  const server = createServer(app.callback())
  return { port: await portOf(server), close: () => void server.close() }
})
