import { setTimeout as after } from 'node:timers/promises'
import { type LimiterHealth, redisStore, type Store } from '@sluice/core'
import { type Limits, loadLimits } from '@sluice/limits'
import { prometheus } from '@sluice/telemetry'
import { Registry } from 'prom-client'
import type { Address } from './address.ts'
import { deciderOf } from './decide.ts'
import { GrpcFront } from './grpc/grpc-front.ts'
import { HttpFront } from './http/http-front.ts'
import { readServeOptions, type ServeOptions, type ServeSettings } from './options.ts'

/** A running service. */
export interface LimitsServer {
  /** Where it listens; undefined where it does not. */
  readonly grpc: Address | undefined
  readonly http: Address | undefined
  /** The limits, for `explain`, `block`, `reset` and the rest. */
  readonly limits: Limits
  health(): LimiterHealth
  /** Says that no more requests shall come, answers those that are under way, then closes all that it has opened. */
  close(): Promise<void>
}

class Service implements LimitsServer {
  readonly limits: Limits
  grpc: Address | undefined
  http: Address | undefined
  readonly #fronts: readonly (GrpcFront | HttpFront)[]
  readonly #settings: ServeSettings
  readonly #ownStore: Store | undefined
  #closing: Promise<void> | undefined

  constructor(limits: Limits, register: Registry, settings: ServeSettings, ownStore: Store | undefined) {
    this.limits = limits
    this.#settings = settings
    this.#ownStore = ownStore
    const decide = deciderOf(limits)
    const failed = (error: unknown) =>
      settings.logger.error(`[sluice] a request was answered with an error: ${String(error)}`)
    const metrics = async () => ({ type: register.contentType, text: await register.metrics() })
    const parts = { decide, failed, headers: settings.headers, shadow: settings.shadow }
    this.#fronts = [new GrpcFront(parts), new HttpFront({ ...parts, health: () => limits.health(), metrics })]
  }

  async listen(): Promise<void> {
    const { grpc, http } = this.#settings
    const [grpcFront, httpFront] = this.#fronts
    const bound = async (front: GrpcFront | HttpFront | undefined, address: Address | undefined) =>
      front && address && { ...address, port: await front.listen(address) }
    this.grpc = await bound(grpcFront, grpc)
    this.http = await bound(httpFront, http)
  }

  health(): LimiterHealth {
    return this.limits.health()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const { drainMs, graceMs } = this.#settings
    for (const front of this.#fronts) front.stopServing()
    if (drainMs > 0) await after(drainMs)
    await Promise.all(this.#fronts.map((front) => front.close(graceMs)))
    await this.limits.close()
    await this.#ownStore?.close()
  }
}

/**
 * Serves a file of limits to every language: Envoy's rate limit protocol over gRPC, and a small HTTP API. Resolves when it listens and
 * the store has answered once, or could not.
 *
 * @example
 * const server = await serveLimits({ file: 'limits.yaml', redis: 'redis://localhost' })
 * process.once('SIGTERM', () => void server.close())
 * @throws LimitsError for a file with problems, OptionError for a wrong option, and an Error where the port is taken
 */
export async function serveLimits(options: ServeOptions): Promise<LimitsServer> {
  const settings = readServeOptions(options)
  const { redis, prefix, name = 'service', unmatched, observers = [] } = options
  const { source } = settings
  const what = 'file' in source ? source.file : source.from.name
  const register = new Registry()
  const ownStore = redis === undefined ? undefined : redisStore(redis, { prefix })
  const store = options.store ?? ownStore
  const limits = await loadLimits({
    ...source,
    name,
    unmatched,
    logger: settings.logger,
    onReload: ({ ok }) => ok && settings.logger.warn(`[sluice] ${what} was read again, and applies`),
    observers: [prometheus({ register }), ...observers],
    ...(store !== undefined && { store }),
  })
  const service = new Service(limits, register, settings, ownStore)
  try {
    await limits.ready()
    await service.listen()
    return service
  } catch (error) {
    await service.close()
    throw error
  }
}
