import 'reflect-metadata'
import { Controller, Get, Module } from '@nestjs/common'
import { APP_GUARD, NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { gcra, redisStore } from '@sluice/core'
import { RateLimitGuard, RateLimitModule } from '@sluice/nest'

const { PORT = '3000', REDIS_URL } = process.env
const store = REDIS_URL ? redisStore(REDIS_URL) : undefined

@Controller()
class HelloController {
  @Get()
  hello(): string {
    return 'Hello\n'
  }
}

@Module({
  imports: [RateLimitModule.forRoot({ policy: gcra({ count: 100, period: '1m' }), store })],
  controllers: [HelloController],
  providers: [{ provide: APP_GUARD, useClass: RateLimitGuard }],
})
class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: ['error', 'warn'] })
// Behind one proxy: app.set('trust proxy', 1). Without it all who come through the proxy share one count.
// The module waits for Redis before the server listens.
await app.listen(PORT)
console.log(`Listening on http://localhost:${PORT}`)

/** Answers the requests under way, closes the limiter, then lets go of Redis: nothing keeps the process alive. */
async function stop(): Promise<void> {
  const server = app.getHttpServer()
  // A client that keeps a connection open gets one more answer on it, and no connection stays open for longer than ten seconds.
  server.prependListener('request', (_req, res) => {
    res.shouldKeepAlive = false
  })
  setTimeout(() => server.closeAllConnections(), 10_000).unref()
  await app.close()
  await store?.close()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop())
