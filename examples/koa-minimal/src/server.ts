import { gcra, redisStore } from '@sluice/core'
import { rateLimit } from '@sluice/koa'
import Koa from 'koa'

const { PORT = '3000', REDIS_URL } = process.env
const app = new Koa()
// Behind one proxy: app.proxy = true and app.maxIpsCount = 1. Without them all who come through the proxy share one count.
app.use(
  rateLimit({
    policy: gcra({ count: 100, period: '1m' }),
    store: REDIS_URL ? redisStore(REDIS_URL) : undefined,
  }),
)
app.use((ctx) => {
  ctx.body = 'Hello\n'
})
app.listen(Number(PORT)).once('listening', () => console.log(`Listening on http://localhost:${PORT}`))
