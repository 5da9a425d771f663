import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common'
import { type DiscoveryService, MetadataScanner } from '@nestjs/core'
import { isOptionError, memoryStore, type Store, type Warning } from '@sluice/core'
import { booleanOption, isRecord, optionError } from '@sluice/core/internal'
import type { Handle } from '@sluice/http'
import {
  type AnyOptions,
  checkShared,
  createGate,
  createRouteGate,
  readTrusted,
  withHandle,
} from '@sluice/http/internal'
import { type Limits, limitsOf } from './decorators.ts'
import { factsOf, type Trust } from './http.ts'
import type {
  GatewayOptions,
  NestRequest,
  RateLimitModuleOptions,
  RequestGate,
  RouteRateLimit,
} from './options.ts'

export type Class = abstract new (...args: never) => object
export type Method = (...args: never) => unknown
type Options = AnyOptions<object> & GatewayOptions & { global?: boolean | undefined }
type Gates = readonly RequestGate[]

const none: Gates = []
const ownNames = ['global', 'trustProxy']

/**
 * The limits of an application: the module's own, and those of its decorators. Inject it where a count is to be read or cleared.
 *
 * @example
 * @Inject(RateLimits) private readonly limits!: RateLimits
 * // the captcha is solved: forget the failures
 * const login = this.limits.handleOf(LoginController, 'login')
 * await login.limiter.reset(await login.keyOf(request))
 */
export class RateLimits implements OnModuleInit, OnApplicationShutdown {
  /** How many guards were made for them. @internal */
  guards = 0
  /** Which proxies in front of gateways are trusted. */
  readonly trust: Trust
  readonly #options: Options
  readonly #gate: RequestGate | undefined
  /** The gates of handlers without a decorator. */
  readonly #ofAll: Gates
  /** The store in which decorated handlers count. */
  readonly #store: Store
  readonly #discovery: DiscoveryService
  readonly #classes = new WeakMap<Class, Gates>()
  readonly #methods = new WeakMap<Class, Map<Method, Gates>>()
  /** The classes whose limits count under a name that was not chosen, by that name. */
  readonly #owners = new Map<string, Class>()
  readonly #limiters = new Set<RequestGate['limiter']>()

  constructor(options: RateLimitModuleOptions, discovery: DiscoveryService) {
    this.#options = options as Options // names are checked at run time
    this.#gate = gateOfAll(this.#options)
    const { global = true, store, trustProxy } = this.#options
    this.trust = readTrusted(trustProxy)
    this.#ofAll = booleanOption(global, 'global') && this.#gate !== undefined ? [this.#gate] : none
    this.#store = store ?? memoryStore()
    this.#discovery = discovery
    if (this.#gate !== undefined) this.#limiters.add(this.#gate.limiter)
  }

  /** The limit of a handler, or without `method` that of a class; without both, the module's. Of several, the first. */
  handleOf(owner?: Class, method?: string): Handle<NestRequest> {
    const [gate] = owner === undefined ? [this.#gate] : this.#gatesOfNamed(owner, method)
    if (gate === undefined) throw optionError('method', 'a handler that has a limit', method)
    return withHandle({}, gate, factsOf) as Handle<NestRequest> // of any request
  }

  #gatesOfNamed(owner: Class, method: string | undefined): Gates {
    if (method === undefined) return this.#declaredForClass(owner)
    const handler: unknown = owner.prototype[method]
    return typeof handler === 'function' ? this.gatesOf(owner, handler as Method) : none
  }

  /** The gates of a handler, the first to be asked first. */
  gatesOf(owner: Class, method: Method): Gates {
    const known = this.#methods.get(owner)?.get(method)
    if (known !== undefined) return known
    const gates = this.#declaredFor(owner, method)
    const ofClass = this.#methods.get(owner) ?? new Map<Method, Gates>()
    this.#methods.set(owner, ofClass.set(method, gates))
    return gates
  }

  #declaredFor(owner: Class, method: Method): Gates {
    const limits = limitsOf(method)
    if (limits === undefined) return this.#declaredForClass(owner)
    return limits.skipped ? none : this.#made(limits, owner, `${owner.name}.${method.name}`)
  }

  #declaredForClass(owner: Class): Gates {
    const limits = limitsOf(owner)
    if (limits === undefined) return this.#ofAll
    if (limits.skipped) return none
    const gates = this.#classes.get(owner) ?? this.#made(limits, owner, owner.name)
    this.#classes.set(owner, gates)
    return gates
  }

  #made({ own, without }: Limits, owner: Class, place: string): Gates {
    try {
      return withoutIn(own, without).map((options, i) =>
        this.#gateFor(options, { owner, place, first: i === 0 }),
      )
    } catch (thrown) {
      const by = own.length === 0 ? '@SkipRateLimit' : '@RateLimit'
      if (isOptionError(thrown)) thrown.message = `${by} on ${place}: ${thrown.message}`
      throw thrown
    }
  }

  #gateFor(
    options: RouteRateLimit,
    { owner, place, first }: { owner: Class; place: string; first: boolean },
  ): RequestGate {
    if (!isRecord(options)) throw optionError('@RateLimit', 'options of a handler', options)
    const { inherit = false, name, policy, policies } = options
    if (name === undefined && (policy ?? policies) !== undefined) {
      const other = this.#owners.get(place) ?? owner
      if (other !== owner || !first)
        throw optionError('name', `a name, as other limits are called ${place}`, name)
      this.#owners.set(place, owner)
    }
    const gate = createRouteGate(options, {
      parent: this.#gate,
      parentOptions: this.#options,
      store: this.#store,
      name: place,
      inherit: booleanOption(inherit, 'inherit'),
      extra: ['inherit'],
    })
    this.#limiters.add(gate.limiter)
    return gate
  }

  /**
   * Makes the gates of all decorated handlers, so that the application does not start with a wrong option. Waits until the store has
   * answered once, or its `connectDeadline` has passed.
   */
  async onModuleInit(): Promise<void> {
    const scanner = new MetadataScanner()
    for (const { metatype } of [...this.#discovery.getControllers(), ...this.#discovery.getProviders()]) {
      if (typeof metatype !== 'function' || metatype.prototype === undefined) continue
      const owner = metatype as Class // a factory that is no class has no decorated methods
      for (const name of scanner.getAllMethodNames(owner.prototype)) {
        const method: unknown = owner.prototype[name]
        if (typeof method === 'function' && limitsOf(method) !== undefined)
          this.gatesOf(owner, method as Method)
      }
      this.#declaredForClass(owner)
    }
    // A store that has not answered rejects, a limiter does not: requests are answered without it.
    await (this.#gate?.limiter ?? this.#store).ready?.().catch(() => {})
  }

  /** Reports to the logger and the observers of the first limit, if there is any. */
  warned(warning: Warning): void {
    const [limiter] = this.#limiters
    limiter?.warned?.(warning)
  }

  /** Closes the limiters. One that was passed in stays open. */
  async onApplicationShutdown(): Promise<void> {
    const { limiter, store } = this.#options
    for (const each of this.#limiters) if (each !== limiter) await each.close?.()
    if (store === undefined) await this.#store.close()
  }
}

/** Adds the policies that `@SkipRateLimit` names to each of the decorators beside it, which then skips them. */
function withoutIn(own: readonly RouteRateLimit[], without: readonly string[]): readonly RouteRateLimit[] {
  if (without.length === 0) return own
  return own.length === 0 ? [{ without }] : own.map((options) => ({ without, ...options }))
}

/** The gate of all handlers, unless only those with their own policies are limited. */
function gateOfAll(options: Options): RequestGate | undefined {
  const { global, policy, policies, limiter } = options ?? {} // createGate says what is missing
  if (global !== false || (policy ?? policies ?? limiter) !== undefined)
    return createGate<object>(options, ownNames)
  checkShared(options, ownNames)
  return undefined
}
