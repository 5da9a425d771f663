import { gcra, redisStore } from '@sluice/core'
import { rateLimit } from '@sluice/fastify'
import Fastify from 'fastify'

const { PORT = '3000', REDIS_URL } = process.env
// Workers of one machine count together without Redis by hostStore() of @sluice/host.
const store = REDIS_URL ? redisStore(REDIS_URL) : undefined
// Behind a proxy name its address: Fastify({ trustProxy: '10.0.0.0/8' }). Without it all who come through the proxy share one count.
const app = Fastify()
await app.register(rateLimit, { policy: gcra({ count: 100, period: '1m' }), store })
app.get('/', async () => 'Hello\n')
// The plugin waits for Redis before the server listens.
console.log(`Listening on ${await app.listen({ port: Number(PORT) })}`)

/** Answers the requests under way and no others for at most ten seconds, closes the limiter, then lets go of Redis. */
async function stop(): Promise<void> {
  setTimeout(() => app.server.closeAllConnections(), 10_000).unref()
  await app.close()
  await store?.close()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop())
