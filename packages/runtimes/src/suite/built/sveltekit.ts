import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'
import {
  type Options,
  proxiesOf,
  type Running,
  routeOf,
  type Site,
  type Start,
  WebExchange,
} from '@sluice/conformance/adapter'
import type { Decision } from '@sluice/core'
import { fieldsOf } from '@sluice/fetch'
import { type KitEvent, type KitHandle, rateLimit } from '@sluice/fetch/sveltekit'
import { buildApp } from '../../server.ts'
import { importBuilt } from './built.ts'
import { type Listener, serve } from './serve.ts'

type Input = Parameters<KitHandle>[0]

/** A site as the hook and the endpoint of the application ask for it. */
interface KitSite {
  handle(input: Input): Promise<Response>
  answer(event: KitEvent): Promise<Response | undefined>
}

/** What a test takes from the built application, and where that finds the site of a request. */
export interface KitApplication {
  sequence(...handles: KitHandle[]): KitHandle
  siteOf(event: KitEvent): KitSite | undefined
}

/** The site and the response of the request that is being answered. */
const asked = new AsyncLocalStorage<{ readonly site: KitSite; readonly raw: ServerResponse }>()

class BuiltSite implements KitSite {
  readonly handles: Map<Options, ReturnType<typeof rateLimit<string>>> = new Map()
  readonly #sequenceOf: KitApplication['sequence']
  readonly #site: Site
  readonly #limited: KitHandle
  readonly #exchanges = new WeakMap<Request, WebExchange>()

  constructor(application: KitApplication, site: Site) {
    this.#sequenceOf = application.sequence
    this.#site = site
    const routes = new Map(site.routes.map((route) => [route, this.#sequence(route.limits)]))
    const routed: KitHandle = (input) => {
      const route = routeOf(site, input.event.request)
      const limits = route && routes.get(route)
      return limits === undefined ? Promise.resolve(input.resolve(input.event)) : limits(input)
    }
    this.#limited = this.#sequence(site.limits, routed)
  }

  async handle(input: Input): Promise<Response> {
    const exchange = this.#exchangeOf(input.event)
    const { first } = this.#site
    try {
      await first?.(exchange)
      return exchange.add(await this.#limited(input))
    } catch (thrown) {
      const { headers = fieldsOf(exchange.request) } = Object(thrown) as Failure
      return exchange.add(this.#failed(thrown, exchange), headers)
    }
  }

  async answer(event: KitEvent): Promise<Response | undefined> {
    const exchange = this.#exchangeOf(event)
    const route = routeOf(this.#site, event.request)
    if (route === undefined) return undefined
    try {
      await route.handler(exchange)
      return exchange.response
    } catch (thrown) {
      return this.#failed(thrown, exchange)
    }
  }

  /** SvelteKit has no error handler that answers: an application catches for itself. */
  #failed(thrown: unknown, exchange: WebExchange): Response {
    const { onError } = this.#site
    if (onError === undefined) throw thrown
    onError(thrown, exchange)
    return exchange.response
  }

  #sequence(limits: readonly Options[], ...behind: readonly KitHandle[]): KitHandle {
    return this.#sequenceOf(...limits.map((options) => this.#limiterOf(options)), ...behind)
  }

  #limiterOf(options: Options): KitHandle {
    const limiter =
      this.handles.get(options) ?? rateLimit<string>({ ...options, proxies: proxiesOf(this.#site) })
    this.handles.set(options, limiter)
    return limiter
  }

  /** Of the event that came first: a sequence hands on copies. */
  #exchangeOf(event: KitEvent): WebExchange {
    const known = this.#exchanges.get(event.request)
    if (known !== undefined) return known
    const locals: { rateLimit?: Decision | undefined } = event.locals
    const raw = asked.getStore()?.raw as ServerResponse // siteOf has found it
    const exchange = new WebExchange({ request: event, raw, decision: () => locals.rateLimit })
    this.#exchanges.set(event.request, exchange)
    return exchange
  }
}

interface Failure {
  readonly headers?: Readonly<Record<string, string>>
}

/** Builds sites of handlers in an application that adapter-node has built. */
export async function startInSvelteKit(): Promise<Start> {
  const file = `${await buildApp('sveltekit-sites', ['vite', ['build']])}/.tmp/handler.js`
  // What HTTP/2 sends in place of Host is not looked for.
  const env = { ORIGIN: 'http://zoo' }
  const { module, realm } = await importBuilt<{ handler: Listener }>(file, env)
  const { sluiceApplication: application } = realm as { sluiceApplication: KitApplication }
  application.siteOf = () => asked.getStore()?.site
  return async (site) => {
    const built = new BuiltSite(application, site)
    const running = await serve(site, (request, raw) =>
      asked.run({ site: built, raw }, () => module.handler(request, raw)),
    )
    return { ...running, handles: built.handles as unknown as Running['handles'] }
  }
}
