// The native adapter beside the face: a route takes the options of either.
import face from '@sluice/compat/fastify-rate-limit'
import { rateLimit } from '@sluice/fastify'
import Fastify, { type FastifyContextConfig } from 'fastify'

const app = Fastify()
app.register(face, { max: 5 })
app.register(rateLimit, { global: false })
app.get(
  '/',
  { config: { rateLimit: { max: 5, addHeaders: {} } } },
  async (request) => request.rateLimit?.remaining,
)
export const both: readonly FastifyContextConfig[] = [
  { rateLimit: { max: 5 } },
  { rateLimit: { charge: 'all-or-nothing' } },
]
// @ts-expect-error no such option
export const wrong: FastifyContextConfig = { rateLimit: { maximum: 5 } }
