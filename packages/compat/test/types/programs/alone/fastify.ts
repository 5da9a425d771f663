// The native adapter alone.
import type { Decision } from '@sluice/core'
import { rateLimit } from '@sluice/fastify'
import Fastify, { type FastifyContextConfig } from 'fastify'

const app = Fastify()
app.register(rateLimit, { global: false })
app.get('/', { config: { rateLimit: false } }, async (request): Promise<Decision | null> => request.rateLimit)
// @ts-expect-error no such option
export const wrong: FastifyContextConfig = { rateLimit: { max: 5 } }
