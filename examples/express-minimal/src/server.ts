import { once } from 'node:events'
import { gcra, redisStore } from '@sluice/core'
import { rateLimit } from '@sluice/express'
import express from 'express'

const { PORT = '3000', REDIS_URL } = process.env
// Workers of one machine count together without Redis by hostStore() of @sluice/host.
const store = REDIS_URL ? redisStore(REDIS_URL) : undefined
const limit = rateLimit({ policy: gcra({ count: 100, period: '1m' }), store })

const app = express()
// Behind one proxy: app.set('trust proxy', 1). Without it all who come through the proxy share one count.
app.use(limit)
app.get('/', (_req, res) => {
  res.send('Hello\n')
})

// So that the first requests find Redis connected.
await limit.limiter.ready?.()
const server = app
  .listen(Number(PORT))
  .once('listening', () => console.log(`Listening on http://localhost:${PORT}`))

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
