// While an application moves file by file, all three are there.
import original from '@fastify/rate-limit'
import face from '@sluice/compat/fastify-rate-limit'
import { rateLimit } from '@sluice/fastify'
import Fastify from 'fastify'

const app = Fastify()
app.register(original, { max: 5 })
app.register(face, { max: 5 })
app.register(rateLimit, { global: false })
app.get('/', { config: { rateLimit: { max: 5 } } }, async (request) => request.rateLimit)
app.get('/own', { preHandler: app.rateLimit({ max: 5 }) }, async () => app.createRateLimit())
