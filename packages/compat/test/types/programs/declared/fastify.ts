// The native adapter beside @fastify/rate-limit, whose own declaration holds.
import original from '@fastify/rate-limit'
import { rateLimit } from '@sluice/fastify'
import Fastify, { type FastifyContextConfig } from 'fastify'

const app = Fastify()
app.register(original, { max: 5 })
app.register(rateLimit, { global: false })
app.get(
  '/',
  { config: { rateLimit: { max: 5 } }, preHandler: app.rateLimit() },
  async (request) => request.rateLimit,
)
app.get('/hook', { preHandler: app.rateLimitHook() }, async () => app.createRateLimit({ max: 1 }))
// @ts-expect-error no such option
export const wrong: FastifyContextConfig = { rateLimit: { maximum: 5 } }
