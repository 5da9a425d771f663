import { setTimeout as after } from 'node:timers/promises'
import { type LimiterHealth, redisStore } from '@sluice/core'
import { type Limits, loadLimits } from '@sluice/limits'
import { prometheus } from '@sluice/telemetry'
import { Registry } from 'prom-client'
import type { Address } from './address.ts'
import { deciderOf } from './decide.ts'
import { countingDescriptors } from './descriptor-counts.ts'
import { GrpcFront } from './grpc/grpc-front.ts'
import { HttpFront } from './http/http-front.ts'
import { Opened } from './opened.ts'
import { readServeOptions, type ServeOptions, type ServeSettings } from './options.ts'
import { openTls } from './secrets/tls.ts'
import { openToken } from './secrets/token.ts'

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

interface ServiceParts {
  readonly settings: ServeSettings
  readonly fronts: readonly [GrpcFront, HttpFront]
  readonly opened: Opened
}

class Service implements LimitsServer {
  readonly limits: Limits
  grpc: Address | undefined
  http: Address | undefined
  readonly #fronts: readonly (GrpcFront | HttpFront)[]
  readonly #settings: ServeSettings
  readonly #opened: Opened
  #closing: Promise<void> | undefined

  constructor(limits: Limits, { settings, fronts, opened }: ServiceParts) {
    this.limits = limits
    this.#settings = settings
    this.#opened = opened
    this.#fronts = fronts
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
    await this.#opened.close()
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
  const opened = new Opened()
  let service: Service
  try {
    service = await opening(options, settings, opened)
  } catch (error) {
    await opened.close()
    throw error
  }
  try {
    await service.limits.ready()
    await service.listen()
    return service
  } catch (error) {
    await service.close()
    throw error
  }
}

async function opening(options: ServeOptions, settings: ServeSettings, opened: Opened): Promise<Service> {
  const { redis, prefix, name = 'service', unmatched } = options
  const { source, observers, logger, shadow, headers } = settings
  const tls = openTls(options.tls, logger)
  opened.add(tls?.files)
  const token = opened.add(openToken(options.tokenFile, logger))
  const register = new Registry()
  const ownStore = opened.add(redis === undefined ? undefined : redisStore(redis, { prefix }))
  const { store = ownStore } = options
  const what = 'file' in source ? source.file : source.from.name
  const limits = opened.add(
    await loadLimits({
      ...source,
      name,
      unmatched,
      logger,
      onReload: ({ ok }) => ok && logger.warn(`[sluice] ${what} was read again, and applies`),
      observers: [prometheus({ register }), ...observers],
      ...(store !== undefined && { store }),
    }),
  )
  const parts = {
    decide: countingDescriptors(deciderOf(limits), register),
    failed: (error: unknown) =>
      logger.error(`[sluice] a request was answered with an error: ${String(error)}`),
    headers,
    shadow,
    tls,
  }
  const metrics = async () => ({ type: register.contentType, text: await register.metrics() })
  const http = new HttpFront({ ...parts, token, health: () => limits.health(), metrics })
  return new Service(limits, { settings, fronts: [new GrpcFront(parts, settings), http], opened })
}
