import { memoryStore, type Store } from '@sluice/core'
import { booleanOption, isLater, isRecord, oneOf, optionError } from '@sluice/core/internal'
import {
  type AnyOptions,
  asError,
  believesAnybody,
  bindingDecision,
  checkShared,
  clientClosedRequest,
  createGate,
  createRouteGate,
  type Gate,
  type HandledOutcome,
  handleRequest,
  type Maybe,
  ReplyFields,
  type RequestFacts,
  withHandle,
} from '@sluice/http/internal'
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  RouteOptions,
} from 'fastify'
import { addWork, watchHandler } from './in-flight.ts'
import { type HookName, hookNames, type RateLimitPluginOptions, type RouteRateLimit } from './options.ts'

export type { RateLimitPluginOptions, RouteRateLimit } from './options.ts'

type RequestHook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>
type RequestGate = Gate<FastifyRequest>

/** The route options of a request; each access creates a new object. */
type Matched = FastifyRequest['routeOptions']

class FastifyFacts implements RequestFacts {
  readonly method: string
  readonly route: string | undefined
  readonly ip: string
  readonly peer: string | undefined
  readonly trustsAll: boolean
  readonly headers: RequestFacts['headers']

  constructor(request: FastifyRequest, { url }: Matched) {
    this.method = request.method
    this.route = url
    this.ip = request.ip
    this.peer = request.socket.remoteAddress
    this.trustsAll = believesAnybody(request)
    this.headers = request.headers
  }
}

function factsOf(request: FastifyRequest, matched: Matched = request.routeOptions): RequestFacts {
  return new FastifyFacts(request, matched)
}

/** Whether the request goes on; answers a refused one. */
function goesOn({ refusal, work }: HandledOutcome, request: FastifyRequest, reply: FastifyReply): boolean {
  request.rateLimit = bindingDecision(request) ?? null
  if (work !== undefined) addWork(reply, work)
  if (refusal === null) return true
  // Something else, such as a timeout, has answered in the meantime: Fastify would log that this handler answers twice.
  if (reply.sent) return false
  // Without a serializer Fastify would add a charset to a text, which JSON does not have. An error handler gets Fastify's serializer again.
  const serializer = (body: string) => {
    reply.serializer(null as never) // as a reply begins
    return body
  }
  reply.code(refusal.status).header('content-type', refusal.type).serializer(serializer).send(refusal.body)
  return false
}

/**
 * Hands an error to Fastify, unless an answer has begun: Fastify would send headers again, which crashes the process. An answer that was
 * ended in the meantime, by a timeout for example, is whole, and is sent to its end.
 */
function fail(thrown: unknown, request: FastifyRequest, reply: FastifyReply): false {
  request.rateLimit = bindingDecision(request) ?? null
  if (!reply.raw.headersSent) throw asError(thrown)
  request.log.error(thrown)
  reply.hijack()
  if (!reply.raw.writableEnded) reply.raw.destroy()
  return false
}

async function later(
  outcome: Promise<HandledOutcome>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  try {
    const decided = await outcome
    const goes = goesOn(decided, request, reply)
    if (!goes || !isBrokenOff(request.raw)) return goes
    decided.work?.sent()
    if (!reply.sent) reply.code(clientClosedRequest).send()
    return false
  } catch (thrown) {
    return fail(thrown, request, reply)
  }
}

/**
 * Whether the client has gone before the request's body was read. Fastify would wait for that for ever: no handler would run, and no
 * answer be sent whose end frees a place.
 */
function isBrokenOff({
  aborted,
  headers,
  stream,
}: FastifyRequest['raw'] & { readonly stream?: { readonly endAfterHeaders: boolean } }): boolean {
  if (!aborted) return false
  if (stream !== undefined) return !stream.endAfterHeaders
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** A Fastify hook that runs the gate of a request, if it has one. */
function hookOf(gateOf: (request: FastifyRequest, matched: Matched) => RequestGate | undefined): RequestHook {
  /** Whether the request goes on. */
  function limit(request: FastifyRequest, reply: FastifyReply): Maybe<boolean> {
    const matched = request.routeOptions
    const gate = gateOf(request, matched)
    if (gate === undefined) return true
    try {
      const facts = factsOf(request, matched)
      const outcome = handleRequest(gate, { request, facts, fields: new ReplyFields(reply), raw: reply.raw })
      return isLater(outcome) ? later(outcome, request, reply) : goesOn(outcome, request, reply)
    } catch (thrown) {
      return fail(thrown, request, reply)
    }
  }

  async function promised(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!(await limit(request, reply))) return reply as never
  }

  /** Fastify passes `done`: then no promise is made, and `done` is not called for a request that has had its answer. */
  function rateLimit(
    request: FastifyRequest,
    reply: FastifyReply,
    payload?: unknown,
    done: unknown = payload,
  ): Promise<void> | undefined {
    if (typeof done !== 'function') return promised(request, reply)
    let goes: Maybe<boolean>
    try {
      goes = limit(request, reply)
    } catch (thrown) {
      done(thrown)
      return undefined
    }
    if (isLater(goes))
      goes.then(
        (on) => {
          if (on) done()
        },
        (thrown: unknown) => done(thrown),
      )
    else if (goes) done()
    return undefined
  }

  return rateLimit as RequestHook // called without `done`, it answers a promise
}

type Options = AnyOptions<FastifyRequest> & { hook?: HookName | undefined; global?: boolean | undefined }
type Methods = string | readonly string[]

/** Routes whose options a plugin has read: a plugin in a nested scope does not read them again. */
const read = new WeakSet<RouteOptions>()
/** The plugin that handles a route with its own options, by Fastify's config object: the first one that meets it. */
const owners = new WeakMap<object, Plugin>()

/** The name under which a route counts. The HEAD route that Fastify adds shares GET's. */
function placesOf(methods: Methods, url: string): readonly string[] {
  const counted = [methods].flat().map((method) => (method === 'HEAD' ? 'GET' : method))
  return [...new Set(counted)].sort().map((method) => `${method} ${url}`)
}

/** The gates of one registration: its own, and those of routes with their own options. */
class Plugin {
  readonly #options: Options
  /** undefined where only routes with their own policies are limited. */
  readonly #gate: RequestGate | undefined
  /** The store in which routes with their own policies count. */
  readonly #store: Store
  readonly #hook: HookName
  readonly #global: boolean
  /** Gates by a route's options and its name, so that routes that share an options object do not share a count. */
  readonly #routes = new WeakMap<RouteRateLimit, Map<string, RequestGate>>()
  readonly #limiters = new Set<RequestGate['limiter']>()

  constructor(options: Options) {
    this.#options = options
    const { hook = 'onRequest', global = true } = options
    this.#gate = gateOfAll(options)
    this.#store = options.store ?? memoryStore()
    this.#hook = oneOf(hook, 'hook', hookNames)
    this.#global = booleanOption(global, 'global')
    if (this.#gate !== undefined) this.#limiters.add(this.#gate.limiter)
  }

  /** Adds the plugin's hook to the instance: in the order of registration, also for routes that were declared before. */
  addTo(app: FastifyInstance): void {
    // A route declared before the plugin has no hook of its own.
    const names = hasRoutes(app) ? hookNames : [this.#hook]
    for (const name of names) {
      app.addHook(
        name,
        hookOf((request, matched) => this.#gateOf(request, matched, name)),
      )
    }
    app.addHook('onRoute', (route) => this.#added(route))
    app.addHook('onClose', () => this.#close())
  }

  /** The gate of a request in the hook with this name. */
  #gateOf(
    request: FastifyRequest,
    { config, method, url = '' }: Matched,
    name: HookName,
  ): RequestGate | undefined {
    if (request.is404) return undefined
    const own = ownOf(config)
    if (own === undefined) return this.#global && name === this.#hook ? this.#gate : undefined
    const owner = owners.get(config)
    if (owner === undefined) owners.set(config, this)
    if (own === false || (owner ?? this) !== this || this.#hookOf(own) !== name) return undefined
    return this.gateFor(own, method, url)
  }

  #hookOf({ hook }: RouteRateLimit): HookName {
    return hook === undefined ? this.#hook : hook
  }

  /** Reports wrong options of a route at registration. */
  #added(route: RouteOptions): void {
    checkPlace(route)
    const own = ownOf(route.config)
    if (own === undefined && this.#global && this.#gate?.holds) watchHandler(route)
    if (own === undefined || own === false || read.has(route)) return
    read.add(route)
    const gate = this.gateFor(own, route.method, route.url)
    if (gate.holds) watchHandler(route)
    const name = this.#hookOf(own)
    if (name === this.#hook) return
    const others: unknown = route[name] ?? []
    Object.assign(route, { [name]: [hookOf(() => gate), others].flat() })
  }

  /** The gate of a route with options of its own. */
  gateFor(own: RouteRateLimit | undefined, methods: Methods, url: string): RequestGate {
    if (own === undefined && this.#gate !== undefined) return this.#gate
    const options = own === undefined ? {} : own
    if (!isRecord(options)) throw optionError('config.rateLimit', 'options of a route, or false', options)
    const gates = this.#routes.get(options) ?? new Map<string, RequestGate>()
    this.#routes.set(options, gates)
    const places = placesOf(methods, url)
    for (const place of places) {
      const known = gates.get(place)
      if (known !== undefined) return known
    }
    const { inherit = false } = options
    oneOf(this.#hookOf(options), 'hook', hookNames)
    const gate = createRouteGate(options, {
      parent: this.#gate,
      parentOptions: this.#options,
      store: this.#store,
      name: places.join(', '),
      inherit: booleanOption(inherit, 'inherit'),
      extra: ['hook', 'inherit'],
    })
    for (const place of places) gates.set(place, gate)
    this.#limiters.add(gate.limiter)
    return gate
  }

  /** Waits until the store has answered once, or its `connectDeadline` has passed. */
  async ready(): Promise<void> {
    // A store that has not answered rejects, a limiter does not: requests are answered without it.
    await (this.#gate?.limiter ?? this.#store).ready?.().catch(() => {})
  }

  /** A limiter that was passed in stays open. */
  async #close(): Promise<void> {
    const { limiter, store } = this.#options
    for (const each of this.#limiters) if (each !== limiter) await each.close?.()
    if (store === undefined) await this.#store.close()
  }
}

const allNames = ['hook', 'global']

/** The gate of all routes, unless only those with their own policies are limited. */
function gateOfAll(options: Options): RequestGate | undefined {
  const { global, policy, policies, limiter } = options
  if (global !== false || (policy ?? policies ?? limiter) !== undefined)
    return createGate<FastifyRequest>(options, allNames)
  checkShared(options, allNames)
  return undefined
}

/** A route's own options. Whatever they say, their names are checked when its gate is made. */
function ownOf(config: FastifyContextConfig | undefined): RouteRateLimit | false | undefined {
  return config?.rateLimit as RouteRateLimit | false | undefined
}

/** Options of a route that stand where nobody reads them would leave the route to the plugin's own, or without a limit. */
function checkPlace(route: RouteOptions): void {
  const { config = {} } = route
  for (const [name, value] of Object.entries(config)) {
    if (name !== 'rateLimit' && /^rate[-_]?limit$/i.test(name))
      throw optionError(`config.${name}`, 'the name config.rateLimit', value)
  }
  if ('rateLimit' in route)
    throw optionError(
      'rateLimit',
      "to stand in the route's config: { config: { rateLimit: … } }",
      route.rateLimit,
    )
}

function hasRoutes(app: FastifyInstance): boolean {
  return app.printRoutes() !== '(empty tree)'
}

const howItIsRegistered =
  'to be registered: write await app.register(rateLimit, { policy }) in Fastify; other frameworks have packages of their own'

async function register(app: FastifyInstance, options: RateLimitPluginOptions): Promise<void> {
  // The plugin was called, as by app.use(rateLimit) of another framework, and not registered.
  if (options === undefined || typeof app?.register !== 'function')
    throw optionError('rateLimit', howItIsRegistered, app)
  const plugin = new Plugin(options as Options) // names are checked at run time
  if (!app.hasRequestDecorator('rateLimit')) app.decorateRequest('rateLimit', null)
  if (!Object.hasOwn(app, 'rateLimitHook')) {
    app.decorate('rateLimitHook', (own?: RouteRateLimit) => {
      const gate = plugin.gateFor(own, 'hook', '')
      return withHandle(
        hookOf(() => gate),
        gate,
        factsOf,
      )
    })
  }
  plugin.addTo(app)
  await plugin.ready()
}

/**
 * Rate limiting for Fastify 5: a plugin for all routes of the instance that registers it, with options for one route in its
 * `config.rateLimit`.
 *
 * @example
 * const app = Fastify({ trustProxy: '10.0.0.0/8' }) // the proxies in front; a number trusts nothing
 * await app.register(rateLimit, { policy: gcra({ count: 100, period: '1m' }), store: redisStore('redis://localhost') })
 * app.get('/login', { config: { rateLimit: { policy: slidingWindowLog({ limit: 5, window: '1m' }) } } }, login)
 */
export const rateLimit: FastifyPluginAsync<RateLimitPluginOptions> = Object.assign(register, {
  // Fastify's own marks: the hooks belong to the instance that registers the plugin, not to a nested scope.
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: '@sluice/fastify',
  [Symbol.for('plugin-meta')]: { name: '@sluice/fastify', fastify: '5.x' },
})
