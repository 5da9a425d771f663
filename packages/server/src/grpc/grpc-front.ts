import {
  Server,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js'
import type { Address } from '../address.ts'
import { type FrontParts, requestMs } from '../decide.ts'
import { InvalidRequest } from '../descriptors.ts'
import { respond } from '../respond.ts'
import { credentialsOf } from './credentials.ts'
import { inTime } from './in-time.ts'
import {
  healthService,
  type RateLimitRequest,
  type RateLimitResponse,
  rateLimitName,
  rateLimitService,
  serving,
} from './messages.ts'

/** The most bytes of a message. A request with the most and longest descriptors that anybody needs fits many times. */
const maxMessageBytes = 65_536
const maxStreams = 1000

interface ConnectionTimes {
  readonly connectionAgeMs: number | undefined
  readonly graceMs: number
}

interface HealthRequest {
  readonly service: string
}
interface HealthResponse {
  readonly status: number
}
type Watcher = ServerWritableStream<HealthRequest, HealthResponse>

/** Envoy's rate limit protocol, and the health protocol of gRPC. */
export class GrpcFront {
  readonly #server: Server
  readonly #parts: FrontParts
  readonly #watchers = new Set<Watcher>()
  /** Watchers of a service that does not exist here. */
  readonly #strangers = new Set<Watcher>()
  #serving = true

  constructor(parts: FrontParts, { connectionAgeMs, graceMs }: ConnectionTimes) {
    this.#parts = parts
    this.#server = new Server({
      'grpc.max_receive_message_length': maxMessageBytes,
      'grpc.max_concurrent_streams': maxStreams,
      ...(connectionAgeMs !== undefined && {
        'grpc.max_connection_age_ms': connectionAgeMs,
        'grpc.max_connection_age_grace_ms': graceMs,
      }),
      interceptors: [inTime(requestMs)],
    })
    this.#server.addService(rateLimitService, {
      ShouldRateLimit: (
        call: ServerUnaryCall<RateLimitRequest, RateLimitResponse>,
        done: sendUnaryData<RateLimitResponse>,
      ) => void this.#answer(call.request, done),
    })
    this.#server.addService(healthService, {
      Check: (call: ServerUnaryCall<HealthRequest, HealthResponse>, done: sendUnaryData<HealthResponse>) =>
        this.#check(call.request, done),
      Watch: (call: Watcher) => this.#watch(call),
    })
  }

  /** Resolves to the port. */
  listen({ host, port }: Address): Promise<number> {
    const name = host.includes(':') ? `[${host}]` : host
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(`${name}:${port}`, credentialsOf(this.#parts.tls), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      )
    })
  }

  /** Makes the health protocol say that no more requests shall come. */
  stopServing(): void {
    if (!this.#serving) return
    this.#serving = false
    for (const watcher of this.#watchers) watcher.write({ status: serving.no })
  }

  /** Closes the server. Calls that are under way are answered within that time, or cut off. */
  async close(graceMs: number): Promise<void> {
    this.stopServing()
    for (const watcher of [...this.#watchers, ...this.#strangers]) watcher.end()
    await new Promise<void>((resolve) => {
      const late = setTimeout(() => {
        this.#server.forceShutdown()
        resolve()
      }, graceMs)
      this.#server.tryShutdown(() => {
        clearTimeout(late)
        resolve()
      })
    })
  }

  async #answer(request: RateLimitRequest, done: sendUnaryData<RateLimitResponse>): Promise<void> {
    try {
      done(null, await respond(request, this.#parts))
    } catch (error) {
      if (error instanceof InvalidRequest)
        return done({ code: status.INVALID_ARGUMENT, details: error.message })
      this.#parts.failed(error)
      done({ code: status.INTERNAL, details: 'the limits could not be asked' })
    }
  }

  #statusOf({ service }: HealthRequest): number | undefined {
    if (service !== '' && service !== rateLimitName) return undefined
    return this.#serving ? serving.yes : serving.no
  }

  #check(request: HealthRequest, done: sendUnaryData<HealthResponse>): void {
    const known = this.#statusOf(request)
    if (known === undefined) done({ code: status.NOT_FOUND, details: 'no such service' })
    else done(null, { status: known })
  }

  #watch(call: Watcher): void {
    const known = this.#statusOf(call.request)
    call.write({ status: known ?? serving.unknownService })
    const watchers = known === undefined ? this.#strangers : this.#watchers
    watchers.add(call)
    call.on('cancelled', () => watchers.delete(call))
  }
}
