import { once } from 'node:events'
import type { Server } from 'node:http'
import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { gcra, redisStore } from '@sluice/core'
import { rateLimit } from '@sluice/fetch/hono'
import { Hono } from 'hono'

const { PORT = '3000', REDIS_URL } = process.env
const store = REDIS_URL ? redisStore(REDIS_URL) : undefined
const limit = rateLimit({
  policy: gcra({ count: 100, period: '1m' }),
  store,
  ip: (c) => getConnInfo(c).remote.address,
  // Behind one proxy: proxies: 1. Without it all who come through the proxy share one count.
})

const app = new Hono()
app.use(limit)
app.get('/', (c) => c.text('Hello\n'))

// So that the first requests find Redis connected.
await limit.limiter.ready?.()
const server = serve({ fetch: app.fetch, port: Number(PORT) }, () =>
  console.log(`Listening on http://localhost:${PORT}`),
) as Server // with no other options it speaks HTTP/1.1

/** Answers the requests under way, then lets go of Redis: nothing keeps the process alive. */
async function stop(): Promise<void> {
  // A client that keeps a connection open gets one more answer on it, and no connection stays open for longer than ten seconds.
  server.prependListener('request', (_req, res) => {
    res.shouldKeepAlive = false
  })
  setTimeout(() => server.closeAllConnections(), 10_000).unref()
  server.close()
  await once(server, 'close')
  await limit.limiter.close?.()
  await store?.close()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop())
