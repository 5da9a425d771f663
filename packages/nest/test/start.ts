import { METHODS } from 'node:http'
import {
  All,
  type ArgumentsHost,
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  type INestApplication,
  Module,
  Req,
  Res,
  type Type,
  UseGuards,
} from '@nestjs/common'
import { type AbstractHttpAdapter, APP_GUARD, NestFactory } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { advised, type Exchange, type Options, type Site, type Start } from '@sluice/conformance/adapter'
import type { Handle } from '@sluice/http'
import { RateLimitGuard, RateLimitModule, RateLimits, rateLimitGuard } from '../src/index.ts'

/** A platform of Nest: its adapter, and what is different on it. */
export interface Platform {
  adapter(site: Pick<Site, 'trust' | 'http2'>): AbstractHttpAdapter
  // biome-ignore lint/suspicious/noExplicitAny: Express's or Fastify's
  exchangeOf(request: any, response: any): Exchange
  /** Runs it ahead of everything. */
  first(app: INestApplication, handle: (request: object, response: object) => unknown): void
  listen(app: INestApplication, to: Site['listen']): Promise<unknown>
}

export const onExpress: Platform = {
  adapter({ trust }) {
    const adapter = new ExpressAdapter()
    if (trust === 'one' || trust === 'all') adapter.set('trust proxy', trust === 'all' ? true : 1)
    advised(trust, 'Nest on Express', { app: adapter })
    return adapter
  },
  exchangeOf: (request, response) => ({
    request,
    raw: response,
    decision: request.rateLimit,
    set: (name, value) => response.setHeader(name, value),
    send: (status, body = '') => {
      response.status(status)
      if (typeof body === 'string') response.send(body)
      else body.pipe(response)
    },
  }),
  first(app, handle) {
    app.use(async (request: object, response: object, next: (error?: unknown) => void) => {
      try {
        await handle(request, response)
        next()
      } catch (error) {
        next(error)
      }
    })
  },
  listen: (app, to) => ('path' in to ? app.listen(to.path) : app.listen(to.port, to.host)),
}

/** HEAD comes with GET; CONNECT asks for a tunnel. */
const methods = METHODS.filter((method) => method !== 'HEAD' && method !== 'CONNECT')

export const onFastify: Platform = {
  adapter({ trust, http2 }) {
    const trustProxy = trust === 'one' ? (_: string, hop: number) => hop === 0 : trust === 'all'
    const options = advised<{ trustProxy: typeof trustProxy }>(trust, 'FastifyAdapter') ?? { trustProxy }
    // Of HTTP/1 to the compiler: handlers see no difference.
    if (http2) Object.assign(options, { http2: true })
    const adapter = new FastifyAdapter(options)
    const fastify = adapter.getInstance()
    for (const method of methods)
      if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method)
    return adapter
  },
  exchangeOf: (request, reply) => ({
    request,
    raw: reply.raw,
    decision: request.rateLimit,
    set: (name, value) => void reply.header(name, value),
    takeOver: () => void reply.hijack(),
    send: (status, body = '') => void reply.code(status).send(body),
  }),
  first(app, handle) {
    app
      .getHttpAdapter()
      .getInstance()
      .addHook('onRequest', async (request: object, reply: object) => {
        await handle(request, reply)
      })
  },
  listen: (app: INestApplication, to) => (app as NestFastifyApplication).listen(to), // made with its adapter
}

type Guard = CanActivate & Handle<object, string>

function controllerOf(
  { path, handler }: Site['routes'][number],
  guards: readonly Guard[],
  { exchangeOf }: Platform,
): Type {
  @Controller()
  @UseGuards(...guards)
  class RouteController {
    @All(path)
    async handle(@Req() request: object, @Res() response: object): Promise<void> {
      await handler(exchangeOf(request, response))
    }
  }
  return RouteController
}

/** Builds sites on Nest: the first limit of all routes is the module's, each other one a guard of its own. */
export function startOn(platform: Platform): Start {
  return async ({ first, limits, routes, onError, trust, http2, listen }) => {
    const handles = new Map<Options, Handle<object, string>>()
    const guards = new Map<Options, Guard>()
    const guardOf = (options: Options): Guard => {
      const guard = guards.get(options) ?? rateLimitGuard<string>(options)
      guards.set(options, guard)
      handles.set(options, guard)
      return guard
    }
    const [ofModule] = limits
    const providers = limits.map((options) => {
      if (options === ofModule) return { provide: APP_GUARD, useClass: RateLimitGuard }
      return { provide: APP_GUARD, useValue: guardOf(options) }
    })
    const controllers = routes.map((route) => {
      const own = route.limits.map((options) => (options === ofModule ? RateLimitGuard : guardOf(options)))
      return controllerOf(route, own as Guard[], platform)
    })

    @Module({ imports: [RateLimitModule.forRoot(ofModule ?? { global: false })], controllers, providers })
    class SiteModule {}

    const app = await NestFactory.create(SiteModule, platform.adapter({ trust, http2 }), {
      logger: false,
      bodyParser: false,
      abortOnError: false,
    })
    if (ofModule !== undefined) handles.set(ofModule, app.get(RateLimits).handleOf())
    if (first !== undefined)
      platform.first(app, (request, response) => first(platform.exchangeOf(request, response)))
    if (onError !== undefined) {
      @Catch()
      class SiteFilter implements ExceptionFilter {
        catch(error: unknown, host: ArgumentsHost): void {
          const [request, response] = host.getArgs()
          onError?.(error, platform.exchangeOf(request, response))
        }
      }
      app.useGlobalFilters(new SiteFilter())
    }
    await platform.listen(app, listen)
    return { server: app.getHttpServer(), handles, close: () => app.close() }
  }
}
