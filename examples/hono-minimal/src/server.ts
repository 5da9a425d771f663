import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { gcra, redisStore } from '@sluice/core'
import { rateLimit } from '@sluice/fetch/hono'
import { Hono } from 'hono'

const { PORT = '3000', REDIS_URL } = process.env
const app = new Hono()
app.use(
  rateLimit({
    policy: gcra({ count: 100, period: '1m' }),
    store: REDIS_URL ? redisStore(REDIS_URL) : undefined,
    ip: (c) => getConnInfo(c).remote.address,
    // Behind one proxy: proxies: 1. Without it all who come through the proxy share one count.
  }),
)
app.get('/', (c) => c.text('Hello\n'))
serve({ fetch: app.fetch, port: Number(PORT) }, () => console.log(`Listening on http://localhost:${PORT}`))
