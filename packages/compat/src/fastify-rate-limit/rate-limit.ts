import { memoryStore, redisStore, type Store } from '@sluice/core'
import { optionError, stores } from '@sluice/core/internal'
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest, RouteOptions } from 'fastify'
import { type Counter, ForeignCounter, Limiters, SluiceCounter } from './counters.ts'
import { type Hook, hookOf } from './hook.ts'
import { Limiter } from './limiter.ts'
import { type Params, readLimiterOptions, readPluginOptions } from './options.ts'
import { Place } from './place.ts'
import type { FastifyRateLimitStore, RateLimitOptions, RateLimitPluginOptions } from './types.ts'

/** What a store for @fastify/rate-limit gets about its route: an empty object where there is no route. */
type RouteInfo = Partial<RouteOptions>

/** One registration of the plugin. */
class Plugin {
  readonly #params: Params
  readonly #limiters: Limiters
  /** A store of Sluice, or one that was written for @fastify/rate-limit. */
  readonly #store: Store | FastifyRateLimitStore
  readonly #forAll: Limiter
  readonly #counted = new WeakSet<FastifyRequest>()
  readonly #warned = new Set<string>()
  #handlers = 0

  constructor(options: RateLimitPluginOptions) {
    const params = readPluginOptions(options, this.#instead)
    const { store, redis, cache, nameSpace = 'fastify-rate-limit-' } = params
    this.#params = params
    this.#limiters = new Limiters(nameSpace)
    if (store !== undefined) this.#store = readStore(store, params)
    else this.#store = redis === undefined ? memoryStore({ maxKeys: cache }) : redisStore(redis)
    this.#forAll = new Limiter(params, this.#counterOn(this.#store, params, Place.ofAll), this.#instead)
  }

  readonly #instead = (name: string, value: number): void => {
    if (this.#warned.has(name)) return
    this.#warned.add(name)
    const message = `${name} is not a number that makes sense, so its default holds: ${value}`
    process.emitWarning(message, { code: 'SLUICE_DEFAULT_TAKEN' })
  }

  addTo(app: FastifyInstance): void {
    const limiterFor = (options?: RateLimitOptions) => {
      if (options === undefined) return this.#forAll
      return this.#limiterOf(options, {}, `handler ${++this.#handlers}`)
    }
    if (!app.hasDecorator('createRateLimit'))
      app.decorate('createRateLimit', (options) => {
        const limiter = limiterFor(options)
        return (request, { increment = true } = {}) => limiter.ask(request, increment)
      })
    if (!app.hasDecorator('rateLimit')) {
      const decorated = (options?: RateLimitOptions) => hookOf(limiterFor(options), this.#counted)
      app.decorate('rateLimit', decorated as FastifyInstance['rateLimit']) // it uses nothing that a route's type may change
    }
    app.addHook('onRoute', (route) => this.#added(route))
    app.addHook('onClose', () => this.#limiters.close())
  }

  #added(route: RouteOptions): void {
    const own: unknown = route.config?.rateLimit ?? undefined
    if (own === false) return
    if (own !== undefined) {
      const limiter = this.#limiterOf(own as RateLimitOptions, route, `${route.method} ${route.url}`) // is checked there
      addHook(route, limiter.params.hook, hookOf(limiter, this.#counted))
    } else if (this.#params.global !== false) {
      addHook(route, this.#params.hook, hookOf(this.#forAll, this.#counted))
    }
  }

  /** A limiter with a count of its own, unless a group shares it. */
  #limiterOf(own: RateLimitOptions, route: RouteInfo, place: string): Limiter {
    const params = readLimiterOptions(this.#params, own, this.#instead)
    const counter = this.#counterOn(this.#storeOf(own, params, route), params, Place.of(place))
    return new Limiter(params, counter, this.#instead)
  }

  #storeOf(own: RateLimitOptions, params: Params, route: RouteInfo): Store | FastifyRateLimitStore {
    const { store, redis } = this.#params
    if (own.store !== undefined && own.store !== store) return readStore(own.store, params)
    if (!stores.isStore(this.#store, 'store'))
      return this.#store.child({ ...params, routeInfo: route } as never) // as their stores expect
    if (own.cache !== undefined && store === undefined && redis === undefined)
      return memoryStore({ maxKeys: own.cache })
    return this.#store
  }

  #counterOn(store: Store | FastifyRateLimitStore, params: Params, place: Place): Counter {
    const { skipOnError, continueExceeding, exponentialBackoff, groupId } = params
    if (!stores.isStore(store, 'store')) return new ForeignCounter(store, skipOnError === true)
    const renewal = continueExceeding ? 'anew' : exponentialBackoff ? 'doubled' : 'never'
    // As in @fastify/rate-limit: in Redis a window ends as its first request says, in memory no sooner than any of its requests says.
    const rules = { renewal, grows: store.name === 'memory' } as const
    const counted = groupId === undefined ? place : Place.ofGroup(groupId)
    return new SluiceCounter(this.#limiters.of(store, skipOnError), rules, counted)
  }
}

type GivenStore = NonNullable<RateLimitPluginOptions['store']>

/** Throws an OptionError for what is no store: each request would fail, or pass with `skipOnError`. */
function readStore(given: GivenStore, params: Params): Store | FastifyRateLimitStore {
  // It gets a copy, so that what a store changes in its options changes no limiter.
  const store = typeof given === 'function' ? new given({ ...params }) : given
  if (stores.isStore(store, 'store') || typeof store?.incr === 'function') return store
  throw optionError('store', 'a store of Sluice, or a class whose objects have incr and child', given)
}

/** Adds a hook behind those that the route has. */
function addHook(route: RouteOptions, name: Params['hook'], hook: Hook): void {
  const others: unknown = route[name] ?? []
  Object.assign(route, { [name]: [others, hook].flat() })
}

async function register(app: FastifyInstance, options: RateLimitPluginOptions): Promise<void> {
  new Plugin(options).addTo(app)
}

/**
 * `@fastify/rate-limit` over Sluice: the same options, fields and answers.
 *
 * @example
 * await app.register(fastifyRateLimit, { max: 100, timeWindow: '1 minute' })
 */
export const fastifyRateLimit: FastifyPluginAsync<RateLimitPluginOptions> = Object.assign(register, {
  // Fastify's own marks: the hooks belong to the instance that registers the plugin, and other plugins ask for it by its name.
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: '@fastify/rate-limit',
  [Symbol.for('plugin-meta')]: { name: '@fastify/rate-limit', fastify: '5.x' },
})
