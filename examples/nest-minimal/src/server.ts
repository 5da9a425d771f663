import 'reflect-metadata'
import { Controller, Get, Module } from '@nestjs/common'
import { APP_GUARD, NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { gcra, redisStore } from '@sluice/core'
import { RateLimitGuard, RateLimitModule } from '@sluice/nest'

const { PORT = '3000', REDIS_URL } = process.env

@Controller()
class HelloController {
  @Get()
  hello(): string {
    return 'Hello\n'
  }
}

@Module({
  imports: [
    RateLimitModule.forRoot({
      policy: gcra({ count: 100, period: '1m' }),
      store: REDIS_URL ? redisStore(REDIS_URL) : undefined,
    }),
  ],
  controllers: [HelloController],
  providers: [{ provide: APP_GUARD, useClass: RateLimitGuard }],
})
class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: ['error', 'warn'] })
// Behind one proxy: app.set('trust proxy', 1). Without it all who come through the proxy share one count.
await app.listen(PORT)
console.log(`Listening on http://localhost:${PORT}`)
