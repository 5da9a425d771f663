import 'reflect-metadata'
import { expect, it } from '@jest/globals'
import { type CallHandler, Controller, Get, type NestInterceptor, UseInterceptors } from '@nestjs/common'
import { concurrency, createLimiter } from '@sluice/core'
import { Observable, timeout } from 'rxjs'
import { RateLimitInterceptor } from '../src/index.ts'
import { guarded, platforms } from './serve.ts'

class Early implements NestInterceptor {
  intercept(_context: unknown, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(timeout(1))
  }
}

it.each(platforms)(
  'a handler goes on behind an early answer, and keeps its place, on %s',
  async (_name, platform) => {
    const limiter = createLimiter({ policy: concurrency({ limit: 1, lease: '1h' }) })
    const left = async () => (await limiter.peek('bob')).remaining
    let finish: (how: 'done' | 'failed') => void = () => {}
    let stopped = false

    @Controller()
    @UseInterceptors(Early, RateLimitInterceptor)
    class Zoo {
      @Get('feeding')
      async feeding(): Promise<string> {
        const how = await new Promise((resolve) => {
          finish = resolve
        })
        if (how === 'failed') throw new Error('the tiger is gone')
        return 'fed'
      }

      // As TypeScript writes it of the declared type, with emitDecoratorMetadata.
      @Reflect.metadata('design:returntype', Promise)
      @Get('snacks')
      snacks(): Promise<string> {
        return this.feeding()
      }

      @Get('visitors')
      visitors(): Observable<string> {
        return new Observable(() => () => {
          stopped = true
        })
      }
    }

    const { get } = await guarded(platform, { limiter, key: () => 'bob' }, { controllers: [Zoo] })
    for (const path of ['/feeding', '/snacks']) {
      for (const how of ['done', 'failed'] as const) {
        expect((await get(path)).status).toBe(500)
        expect(await left()).toBe(0)
        expect((await get(path)).status).toBe(429)
        finish(how)
        await new Promise((resolve) => setImmediate(resolve))
        expect(await left()).toBe(1)
      }
    }
    expect((await get('/visitors')).status).toBe(500)
    expect([stopped, await left()]).toEqual([true, 1])
  },
)
