import { type AnyOptions, createGate, createRouteGate, type Gate } from '@sluice/core/http'
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest, RouteOptions } from 'fastify'
import { addHook, hookOf } from './hook.ts'
import type { HookName, RateLimitPluginOptions, RouteRateLimit } from './options.ts'

export type { RateLimitPluginOptions, RouteRateLimit } from './options.ts'

type Options = AnyOptions<FastifyRequest> & { hook?: HookName | undefined; global?: boolean | undefined }
type RouteGates = Map<string, Gate<FastifyRequest>>

/** Routes that a plugin has taken care of: one that is registered again further in adds its own limit, not a second route's. */
const handled = new WeakSet<RouteOptions>()

/** Method and pattern, under which a route counts; HEAD goes with GET. */
function nameOf({ method, url }: RouteOptions): string {
  const methods = new Set([method].flat().map((each) => (each === 'HEAD' ? 'GET' : each)))
  return `${[...methods].sort().join(',')} ${url}`
}

/** Keeps the gates of routes: the HEAD route that Fastify adds by itself has its route's options, and so its gate. */
class Plugin {
  readonly #gate: Gate<FastifyRequest>
  readonly #options: Options
  readonly #routes = new WeakMap<RouteRateLimit, RouteGates>()
  readonly #limiters = new Set<Gate<FastifyRequest>['limiter']>()

  constructor(options: Options) {
    this.#options = options
    this.#gate = createGate<FastifyRequest>(options, ['hook', 'global'])
    this.#limiters.add(this.#gate.limiter)
  }

  routeAdded(route: RouteOptions): void {
    const own = route.config?.rateLimit
    if (own === false || (own !== undefined && handled.has(route))) return
    if (own !== undefined) {
      handled.add(route)
      addHook(route, own.hook ?? this.#hook, this.gateFor(own, nameOf(route), route.url))
    } else if (this.#options.global !== false) {
      addHook(route, this.#hook, this.#gate)
    }
  }

  get #hook(): HookName {
    return this.#options.hook ?? 'onRequest'
  }

  /** The gate for a route's options, or the plugin's own. */
  gateFor(options: RouteRateLimit | undefined, name: string, url: string): Gate<FastifyRequest> {
    if (options === undefined) return this.#gate
    const gates: RouteGates = this.#routes.get(options) ?? new Map()
    this.#routes.set(options, gates)
    const known = gates.get(url)
    if (known !== undefined) return known
    const { inherit = false } = options
    const about = {
      parent: this.#gate,
      parentOptions: this.#options,
      name,
      inherit,
      extra: ['hook', 'global', 'inherit'],
    }
    const gate = createRouteGate(options, about)
    gates.set(url, gate)
    this.#limiters.add(gate.limiter)
    return gate
  }

  /** A limiter that was passed in stays open. */
  async close(): Promise<void> {
    if (this.#options.limiter !== undefined) this.#limiters.delete(this.#gate.limiter)
    for (const limiter of this.#limiters) await limiter.close?.()
  }
}

async function register(app: FastifyInstance, options: RateLimitPluginOptions): Promise<void> {
  const plugin = new Plugin(options as Options) // names are checked at run time
  if (!app.hasRequestDecorator('rateLimit')) app.decorateRequest('rateLimit', null)
  if (!app.hasDecorator('rateLimitHook')) {
    app.decorate('rateLimitHook', (own?: RouteRateLimit) => hookOf(plugin.gateFor(own, 'hook', 'hook')))
  }
  app.addHook('onRoute', (route) => plugin.routeAdded(route))
  app.addHook('onClose', () => plugin.close())
}

/**
 * Rate limiting for Fastify 5: a plugin for all routes of the instance that registers it, with options for one route in its
 * `config.rateLimit`. Register it before the routes that it limits.
 *
 * @example
 * const app = Fastify({ trustProxy: 1 }) // behind one proxy
 * await app.register(rateLimit, { policy: gcra({ count: 100, period: '1m' }), store: redisStore('redis://localhost') })
 * app.get('/login', { config: { rateLimit: { policy: slidingWindowLog({ limit: 5, window: '1m' }) } } }, login)
 */
export const rateLimit: FastifyPluginAsync<RateLimitPluginOptions> = Object.assign(register, {
  // Fastify's own marks: the hooks belong to the instance that registers the plugin, not to one of its own.
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: '@sluice/fastify',
  [Symbol.for('plugin-meta')]: { name: '@sluice/fastify', fastify: '5.x' },
})
