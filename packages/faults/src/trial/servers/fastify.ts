import { rateLimit } from '@sluice/fastify'
import Fastify from 'fastify'
import { host } from '../settings.ts'
import { serve } from './serving.ts'

await serve(async (limits) => {
  const app = Fastify({ trustProxy: host }) // behind a proxy with this address
  for (const { path, options } of limits) {
    await app.register(async (scope) => {
      await scope.register(rateLimit, options)
      scope.get(path, async (request) => request.rateLimit?.source)
    })
  }
  await app.listen({ port: 0, host })
  return { server: app.server, close: () => app.close() }
})
