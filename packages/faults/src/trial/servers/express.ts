import { rateLimit } from '@sluice/express'
import express from 'express'
import { host } from '../settings.ts'
import { closed, serve } from './serving.ts'

await serve(async (limits) => {
  const app = express()
  app.set('trust proxy', 1) // behind one proxy
  const handles = limits.map(({ path, options }) => {
    const handle = rateLimit(options)
    app.use(path, handle)
    return handle
  })
  app.use((req, res) => void res.send(req.rateLimit?.source))
  const server = app.listen(0, host)
  return {
    server,
    async close() {
      await closed(server)
      for (const { limiter } of handles) await limiter.close()
    },
  }
})
