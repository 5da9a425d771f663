import type { ServerResponse } from 'node:http'
import type { Decision } from '@sluice/core'
import type { Handle } from '@sluice/http'
import { advised } from './advice.ts'
import type { Handler, Options, Running, Site } from './site.ts'
import { WebExchange } from './web-exchange.ts'

/** A Web-standard handler; `Rest` is what its server hands to it besides the request. */
export type WebHandler<Rest extends readonly unknown[]> = (
  request: Request,
  ...rest: Rest
) => Promise<Response>

/** How many proxies a site of Web-standard handlers trusts. */
export function proxiesOf({ trust }: Pick<Site, 'trust'>): number {
  const set = advised<{ proxies: number }>(trust, 'Web-standard handlers')
  return set?.proxies ?? (trust === 'none' ? 0 : 1)
}

/** What a platform brings for sites of Web-standard handlers. */
export interface WebPlatform<Rest extends readonly unknown[]> {
  /** Makes a limiter of the adapter under test that trusts this number of proxies. */
  rateLimit(options: Options, proxies: number): (next: WebHandler<Rest>) => WebHandler<Rest>
  decisionOf(request: Request): Decision | undefined
  fieldsOf(request: Request): Readonly<Record<string, string>>
  rawOf(request: Request, ...rest: Rest): ServerResponse
  /** The server makes the answer to what a site without an error handler throws. @default false */
  readonly answersErrors?: boolean
}

async function exchanged(exchange: WebExchange, handler: Handler): Promise<Response> {
  await handler(exchange)
  return exchange.response
}

interface Failure {
  readonly message?: string
  readonly status?: number
  readonly headers?: Record<string, string>
}

/** The path as a site's routes are written: in lower case, without what may stand behind it. */
export function routeOf(
  site: Pick<Site, 'routes'>,
  { url }: Pick<Request, 'url'>,
): Site['routes'][number] | undefined {
  const path = new URL(url).pathname
  return site.routes.find((route) => new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`).test(path))
}

/** A site as one Web-standard handler, for adapters of such servers. */
export function webSite<Rest extends readonly unknown[]>(
  site: Site,
  { rateLimit, decisionOf, fieldsOf, rawOf, answersErrors = false }: WebPlatform<Rest>,
): { readonly fetch: WebHandler<Rest>; readonly handles: Running['handles'] } {
  type Fetch = WebHandler<Rest>
  const handles = new Map<Options, Handle<object, string>>()
  const limiters = new Map<Options, (next: Fetch) => Fetch>()
  const around = (options: Options, next: Fetch): Fetch => {
    const known = limiters.get(options)
    if (known !== undefined) return known(next)
    const limit = rateLimit(options, proxiesOf(site))
    handles.set(options, limit as unknown as Handle<object, string>)
    limiters.set(options, limit)
    return limit(next)
  }
  const behind = (limits: readonly Options[], fetch: Fetch): Fetch =>
    limits.reduceRight((next, options) => around(options, next), fetch)
  const exchanges = new WeakMap<Request, WebExchange>()
  const exchangeOf = (request: Request, rest: Rest) => {
    const known = exchanges.get(request)
    if (known !== undefined) return known
    const raw = rawOf(request, ...rest)
    const exchange = new WebExchange({ request, raw, decision: () => decisionOf(request) })
    exchanges.set(request, exchange)
    return exchange
  }
  const handlers = new Map(
    site.routes.map((route) => [
      route,
      behind(route.limits, (request, ...rest) => exchanged(exchangeOf(request, rest), route.handler)),
    ]),
  )
  const routed = behind(site.limits, async (request, ...rest) => {
    const route = routeOf(site, request)
    const handler = route === undefined ? undefined : handlers.get(route)
    return handler === undefined ? new Response('nothing', { status: 404 }) : handler(request, ...rest)
  })
  return {
    handles,
    fetch: async (request, ...rest) => {
      const exchange = exchangeOf(request, rest)
      try {
        await site.first?.(exchange)
        return exchange.add(await routed(request, ...rest))
      } catch (thrown) {
        if (answersErrors && site.onError === undefined) throw thrown
        const { message = 'failed', status = 500, headers = fieldsOf(request) } = Object(thrown) as Failure
        if (site.onError === undefined) exchange.send(status, message)
        else site.onError(thrown, exchange)
        return exchange.add(exchange.response, headers)
      }
    },
  }
}
