import type { Server } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import { type Place, wideLimit, windowMs } from '../asking/work.ts'
import { fastifyRateLimit, redisOf } from '../others/fastify-rate-limit.ts'
import { flexible, flexibleFields, host, type Limiting, sluiceOf } from './limits.ts'

async function limit(app: FastifyInstance, limiting: Exclude<Limiting, 'bare'>, place: Place): Promise<void> {
  switch (limiting) {
    case 'own': {
      const options = { max: wideLimit, timeWindow: windowMs, cache: 100_000 }
      await app.register(fastifyRateLimit, { ...options, ...redisOf(place) })
      return
    }
    case 'rate-limiter-flexible': {
      const limiter = flexible(place)
      app.addHook('onRequest', async (request, reply) => {
        try {
          for (const [name, value] of flexibleFields(await limiter.consume(request.ip)))
            reply.header(name, value)
        } catch {
          return reply.code(429).send('Too Many Requests')
        }
      })
      return
    }
    default: {
      const name = '@sluice/fastify'
      const { adapter, options } = await sluiceOf(limiting, {
        place,
        name,
        adapter: () => import('@sluice/fastify'),
      })
      await app.register(adapter.rateLimit, options)
    }
  }
}

export async function serveFastify(limiting: Limiting, place: Place): Promise<Server> {
  const app = Fastify({ trustProxy: host }) // behind a proxy with this address
  if (limiting !== 'bare') await limit(app, limiting, place)
  app.get('/', async () => 'ok')
  await app.listen({ port: 0, host })
  return app.server
}
