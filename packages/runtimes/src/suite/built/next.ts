import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Handler, Options, Running, Site, Start } from '@sluice/conformance/adapter'
import { decisionOf, fieldsOf } from '@sluice/fetch'
import { type NextLimit, rateLimit } from '@sluice/fetch/next'
import { buildApp } from '../../server.ts'
import { importBuilt } from './built.ts'
import { WebExchange } from './exchange.ts'
import { type Listener, routeOf, serve } from './serve.ts'

type Answer = (request: Request) => Promise<Response>

/** The site and the response of the request that is being answered. */
const asked = new AsyncLocalStorage<{ readonly site: BuiltSite; readonly raw: ServerResponse }>()

/** Next.js tells nobody the address: this stands for a program's own server, which knows it. */
const addressOf = () => asked.getStore()?.raw.req.socket.remoteAddress

async function exchanged(exchange: WebExchange, handler: Handler): Promise<Response> {
  await handler(exchange)
  return exchange.response
}

interface Failure {
  readonly headers?: Readonly<Record<string, string>>
}

class BuiltSite {
  readonly handles: Map<Options, NextLimit<string>> = new Map()
  readonly #site: Site
  readonly #limited: Answer
  readonly #exchanges = new WeakMap<Request, WebExchange>()

  constructor(site: Site) {
    this.#site = site
    const routes = new Map(
      site.routes.map((route) => [
        route,
        this.#behind(route.limits, (request) => exchanged(this.#exchangeOf(request), route.handler)),
      ]),
    )
    this.#limited = this.#behind(site.limits, async (request) => {
      const route = routeOf(site, request.url)
      const answer = route && routes.get(route)
      return answer === undefined ? new Response('nothing', { status: 404 }) : answer(request)
    })
  }

  /** Next.js has no error handler that answers: an application catches for itself. */
  async answer(request: Request): Promise<Response> {
    const exchange = this.#exchangeOf(request)
    const { first, onError } = this.#site
    try {
      await first?.(exchange)
      return exchange.add(await this.#limited(request))
    } catch (thrown) {
      if (onError === undefined) throw thrown
      onError(thrown, exchange)
      const { headers = fieldsOf(request) } = Object(thrown) as Failure
      return exchange.add(exchange.response, headers)
    }
  }

  #behind(limits: readonly Options[], answer: Answer): Answer {
    return limits.reduceRight((next, options) => this.#limiterOf(options)(next), answer)
  }

  #limiterOf(options: Options): NextLimit<string> {
    const proxies = this.#site.trust === 'none' ? 0 : 1
    const limiter = this.handles.get(options) ?? rateLimit<string>({ ...options, ip: addressOf, proxies })
    this.handles.set(options, limiter)
    return limiter
  }

  #exchangeOf(request: Request): WebExchange {
    const known = this.#exchanges.get(request)
    if (known !== undefined) return known
    const raw = asked.getStore()?.raw as ServerResponse // the site was found by it
    const exchange = new WebExchange({ request, raw, decision: () => decisionOf(request) })
    this.#exchanges.set(request, exchange)
    return exchange
  }
}

/** Builds sites of handlers in an application that Next.js has built. */
export async function startInNext(): Promise<Start> {
  const dir = await buildApp('next-sites', ['next', ['build']])
  const { module, realm } = await importBuilt<{ handler: Listener }>(`${dir}/handler.mjs`, {})
  Object.assign(realm, { sluiceAnswer: (request: Request) => asked.getStore()?.site.answer(request) })
  return async (site) => {
    const built = new BuiltSite(site)
    const running = await serve(site, (request: IncomingMessage, raw: ServerResponse) =>
      asked.run({ site: built, raw }, () => module.handler(request, raw)),
    )
    return { ...running, handles: built.handles as unknown as Running['handles'] }
  }
}
