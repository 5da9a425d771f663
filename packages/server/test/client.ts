import path from 'node:path'
import { promisify } from 'node:util'
import {
  type ChannelCredentials,
  type Client,
  credentials,
  loadPackageDefinition,
  type MethodDefinition,
  type ServiceClientConstructor,
} from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'

const published = path.join(path.dirname(require.resolve('@grpc/grpc-js-xds/package.json')), 'deps')
const health = path.dirname(require.resolve('grpc-health-check/package.json'))
const options = {
  keepCase: true,
  longs: Number,
  enums: String,
  defaults: true,
  includeDirs: [
    ...['envoy-api', 'xds', 'protoc-gen-validate', 'googleapis', 'cel-spec/proto'].map((name) =>
      path.join(published, name),
    ),
    path.join(health, 'proto'),
  ],
}

/** Found in what loadPackageDefinition made of the files. */
function serviceIn(file: string, name: string): ServiceClientConstructor {
  let found: unknown = loadPackageDefinition(loadSync(file, options))
  for (const part of name.split('.')) found = (found as { readonly [part: string]: unknown })[part]
  return found as ServiceClientConstructor // as the file says
}

const RateLimits = serviceIn(
  'envoy/service/ratelimit/v3/rls.proto',
  'envoy.service.ratelimit.v3.RateLimitService',
)
const Health = serviceIn('health/v1/health.proto', 'grpc.health.v1.Health')

interface Status {
  readonly code: 'OK' | 'OVER_LIMIT'
  readonly current_limit: {
    readonly requests_per_unit: number
    readonly unit: string
    readonly name: string
  } | null
  readonly limit_remaining: number
  readonly duration_until_reset: { readonly seconds: number; readonly nanos: number } | null
}

export interface Answer {
  readonly overall_code: 'OK' | 'OVER_LIMIT'
  readonly statuses: readonly Status[]
  readonly response_headers_to_add: readonly { readonly key: string; readonly value: string }[]
  readonly raw_body: Buffer
}

type Call<Q, A> = (request: Q, deadline?: { deadline: number }) => Promise<A>

/** A client made of the published protocol files. */
export interface EnvoyClient {
  readonly limit: Call<object, Answer>
  readonly check: Call<{ service: string }, { status: string }>
  /** A request as its bytes, with fields that the published files do not have yet. */
  readonly limitByBytes: (request: Uint8Array) => Promise<Answer>
  readonly health: Client & { Watch(request: object): NodeJS.ReadableStream & { cancel(): void } }
  close(): void
}

function promisified<Q, A>(client: Client, name: string): Call<Q, A> {
  const call = (client as unknown as { readonly [name: string]: unknown })[name]
  if (typeof call !== 'function') throw new Error(`no method ${name}`)
  return promisify(call.bind(client)) as Call<Q, A> // as the file says
}

export function envoyClient(
  port: number,
  channel: ChannelCredentials = credentials.createInsecure(),
): EnvoyClient {
  const limits = new RateLimits(`127.0.0.1:${port}`, channel)
  const health = new Health(`127.0.0.1:${port}`, channel)
  return {
    limit: promisified(limits, 'ShouldRateLimit'),
    check: promisified(health, 'Check'),
    limitByBytes: (request) =>
      new Promise((resolve, reject) => {
        const { path: method, responseDeserialize } = RateLimits.service.ShouldRateLimit as MethodDefinition<
          object,
          Answer
        >
        const asked = limits.makeUnaryRequest(
          method,
          (bytes: Uint8Array) => Buffer.from(bytes),
          responseDeserialize,
          request,
          (error, answer) => (answer === undefined ? reject(error) : resolve(answer)),
        )
        asked.on('error', reject)
      }),
    health: health as unknown as EnvoyClient['health'],
    close() {
      limits.close()
      health.close()
    },
  }
}

/** A field of a protobuf message that has a length, of up to 127 bytes. */
export function field(number: number, content: Uint8Array | string): Buffer {
  const bytes = Buffer.from(content)
  return Buffer.concat([Buffer.of((number << 3) | 2, bytes.length), bytes])
}

/** A descriptor of these entries: `user=alex`, `path=/pay`. */
export function descriptor(...entries: readonly string[]): { entries: readonly object[] } {
  return {
    entries: entries.map((entry) => {
      const [key, value = ''] = entry.split('=', 2)
      return { key, value }
    }),
  }
}
