import { describe, expect, it } from '@jest/globals'
import {
  type ArgumentsHost,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  HttpException,
  Injectable,
  Module,
  Param,
  UseGuards,
} from '@nestjs/common'
import { APP_FILTER, APP_GUARD, BaseExceptionFilter, HttpAdapterHost } from '@nestjs/core'
import { createLimiter, fixedWindow, gcra, isRefusedError, memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import {
  RateLimit,
  RateLimitException,
  RateLimitGuard,
  RateLimitModule,
  type RateLimitModuleOptions,
  RateLimits,
  rateLimitGuard,
} from '../src/index.ts'
import { guarded, listening, platforms, siteOf, still } from './serve.ts'

const one = fixedWindow({ limit: 1, window: '1d' })

@Controller()
class Zoo {
  @Get('zoo/:animal')
  animal(@Param('animal') animal: string): string {
    return animal
  }
}

@Injectable()
class Settings {
  readonly limit = 3
}

@Module({ providers: [Settings], exports: [Settings] })
class SettingsModule {}

describe.each(platforms)('the module on %s', (_, platform) => {
  it('forRootAsync: options from what is injected, later', async () => {
    @Module({
      imports: [
        RateLimitModule.forRootAsync({
          imports: [SettingsModule],
          inject: [Settings],
          useFactory: async ({ limit }: Settings): Promise<RateLimitModuleOptions> =>
            still({ policy: fixedWindow({ limit, window: '1d' }) }),
        }),
      ],
      controllers: [Zoo],
      providers: [{ provide: APP_GUARD, useClass: RateLimitGuard }],
    })
    class SiteModule {}
    const site = await siteOf(await listening(platform, SiteModule))
    expect(await site.rows('/zoo/tigers', '/zoo/lions')).toEqual(['2/3', '1/3'])
  })

  it('a guard for some handlers, in a module that does not import the limits', async () => {
    @Controller()
    class Park {
      @UseGuards(RateLimitGuard)
      @Get('park')
      park(): string {
        return 'park'
      }
    }
    @Module({ controllers: [Park] })
    class ParkModule {}
    @Module({ imports: [RateLimitModule.forRoot(still({ policy: one })), ParkModule], controllers: [Zoo] })
    class SiteModule {}
    const site = await siteOf(await listening(platform, SiteModule))
    expect(await site.rows('/zoo/tigers', '/park', '/park')).toEqual(['null/null', '0/1', '429'])
  })

  it('two guards on the way of one request: counted once', async () => {
    @Controller()
    @UseGuards(RateLimitGuard)
    class Park {
      @UseGuards(RateLimitGuard)
      @Get('park')
      park(): string {
        return 'park'
      }
    }
    const site = await guarded(platform, still({ policy: one }), { controllers: [Park] })
    expect(await site.rows('/park', '/park')).toEqual(['0/1', '429'])
  })

  it('rateLimitGuard: a limit of its own, without a module', async () => {
    const guard = rateLimitGuard({ policy: one, store: memoryStore({ clock: manualClock() }) })
    @Controller()
    class Login {
      @UseGuards(guard)
      @Get('login')
      login(): string {
        return 'welcome'
      }
    }
    @Module({ controllers: [Login, Zoo] })
    class SiteModule {}
    const site = await siteOf(await listening(platform, SiteModule))
    expect(await site.rows('/login', '/zoo/tigers', '/login')).toEqual(['0/1', 'null/null', '429'])
    expect(await (await site.get('/login')).json()).toMatchObject({ status: 429, reason: 'limited' })
    await guard.limiter.reset('127.0.0.1')
    expect(await site.rows('/login')).toEqual(['0/1'])
  })

  it('the route of the view is the pattern', async () => {
    const routes: unknown[] = []
    const options = still({
      policy: one,
      key: (_: object, view: { route: unknown }) => void routes.push(view.route),
    })
    const site = await guarded(platform, options, { controllers: [Zoo] })
    await site.get('/zoo/tigers')
    expect(routes).toEqual(['/zoo/:animal'])
  })

  it('unless a filter answers: the problem as it is in every framework', async () => {
    const site = await guarded(platform, still({ policy: one }), { controllers: [Zoo] })
    await site.get('/zoo/tigers')
    const refused = await site.get('/zoo/tigers')
    expect([
      refused.status,
      refused.headers.get('content-type'),
      refused.headers.get('cache-control'),
    ]).toEqual([429, 'application/problem+json', 'no-store'])
    expect(await refused.json()).toMatchObject({
      status: 429,
      reason: 'limited',
      'violated-policies': ['default'],
    })
    const asText = await site.get('/zoo/tigers', { accept: 'text/plain' })
    expect(await asText.text()).toMatch(/^Too many requests: try again in \d+ seconds\.$/)
  })

  it("refuseBy 'error': Nest's own answer, with the fields", async () => {
    const site = await guarded(platform, still({ policy: one, refuseBy: 'error' }), { controllers: [Zoo] })
    await site.get('/zoo/tigers')
    const refused = await site.get('/zoo/tigers')
    expect(await refused.json()).toEqual({ statusCode: 429, message: 'Too Many Requests' })
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  })

  it("a filter of the application's comes first, wherever it is declared", async () => {
    const seen: unknown[] = []
    @Catch()
    class All implements ExceptionFilter {
      catch(error: unknown, host: ArgumentsHost): void {
        seen.push(error)
        const [request, response] = host.getArgs()
        platform.exchangeOf(request, response).send(418, 'mine')
      }
    }
    const providers = [{ provide: APP_FILTER, useClass: All }]
    const site = await guarded(platform, still({ policy: one }), { controllers: [Zoo], providers })
    await site.get('/zoo/tigers')
    const refused = await site.get('/zoo/tigers')
    expect([refused.status, await refused.text()]).toEqual([418, 'mine'])
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    const [error] = seen
    if (!(error instanceof RateLimitException)) throw new Error('no RateLimitException')
    expect([error.getStatus(), error.name, error.message, isRefusedError(error)]).toEqual([
      429,
      'RateLimitException',
      'Too Many Requests',
      true,
    ])
    expect(error.getResponse()).toMatchObject({ status: 429, reason: 'limited' })
    expect(error.decision).toMatchObject({ allowed: false, key: '127.0.0.1' })
    expect(error.headers).toMatchObject({ 'x-ratelimit-limit': '1' })
  })

  it('a filter for HttpException may hand it to the one of Nest', async () => {
    @Catch(HttpException)
    class Logged extends BaseExceptionFilter {}
    const useFactory = ({ httpAdapter }: HttpAdapterHost) => new Logged(httpAdapter)
    const providers = [{ provide: APP_FILTER, useFactory, inject: [HttpAdapterHost] }]
    const site = await guarded(platform, still({ policy: one }), { controllers: [Zoo], providers })
    await site.get('/zoo/tigers')
    const refused = await site.get('/zoo/tigers')
    expect(refused.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await refused.json()).toMatchObject({ status: 429, reason: 'limited' })
  })

  it('closing the application closes its limiters, but none that it was given', async () => {
    const slow = gcra({ count: 1, period: '1h' })
    @Controller()
    class Park {
      @RateLimit({ policy: slow })
      @Get('park')
      park(): string {
        return 'park'
      }
    }
    const made = await guarded(platform, still({ policy: slow }), { controllers: [Park] })
    const given = createLimiter({ policy: slow })
    const other = await guarded(platform, { limiter: given, key: () => 'bob' }, {})
    const limiters = [
      made.app.get(RateLimits).handleOf().limiter,
      made.app.get(RateLimits).handleOf(Park, 'park').limiter,
    ]
    await made.close()
    await other.close()
    for (const limiter of limiters)
      await expect(limiter.wait('bob')).rejects.toMatchObject({ code: 'SLUICE_CLOSED' })
    expect((await given.wait('bob')).allowed).toBe(true)
    await given.close()
  })
})
