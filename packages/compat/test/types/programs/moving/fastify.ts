// The face beside @fastify/rate-limit.

import original from '@fastify/rate-limit'
import face from '@sluice/compat/fastify-rate-limit'
import Fastify from 'fastify'

const app = Fastify()
app.register(original, { max: 5 })
app.register(face, { max: 5 })
app.get('/', { config: { rateLimit: { max: 5 } } }, async () => 'hello')
