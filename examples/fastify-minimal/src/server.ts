import { gcra, redisStore } from '@sluice/core'
import { rateLimit } from '@sluice/fastify'
import Fastify from 'fastify'

const { PORT = '3000', REDIS_URL } = process.env
// Behind a proxy name its address: Fastify({ trustProxy: '10.0.0.0/8' }). Without it all who come through the proxy share one count.
const app = Fastify()
await app.register(rateLimit, {
  policy: gcra({ count: 100, period: '1m' }),
  store: REDIS_URL ? redisStore(REDIS_URL) : undefined,
})
app.get('/', async () => 'Hello\n')
console.log(`Listening on ${await app.listen({ port: Number(PORT) })}`)
