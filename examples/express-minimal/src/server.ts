import { gcra, redisStore } from '@sluice/core'
import { rateLimit } from '@sluice/express'
import express from 'express'

const { PORT = '3000', REDIS_URL } = process.env
const app = express()
// Behind one proxy: app.set('trust proxy', 1). Without it all who come through the proxy share one count.
app.use(
  rateLimit({
    policy: gcra({ count: 100, period: '1m' }),
    store: REDIS_URL ? redisStore(REDIS_URL) : undefined,
  }),
)
app.get('/', (_req, res) => {
  res.send('Hello\n')
})
app.listen(Number(PORT)).once('listening', () => console.log(`Listening on http://localhost:${PORT}`))
