import type { ServiceDefinition } from '@grpc/grpc-js'
import { fromJSON } from '@grpc/proto-loader'

/** Codes of answers, as the protocol numbers them. */
export const code = { ok: 1, overLimit: 2 } as const
const dayMs = 86_400_000
/** `Unit` of a limit: its number by the window's length. A month has 30 days, and a year 365. */
export const units: ReadonlyMap<number, number> = new Map([
  [1000, 1],
  [60_000, 2],
  [3_600_000, 3],
  [dayMs, 4],
  [30 * dayMs, 5],
  [365 * dayMs, 6],
  [7 * dayMs, 7],
])
/** `ServingStatus` of the health protocol. */
export const serving = { yes: 1, no: 2, unknownService: 3 } as const

interface Descriptor {
  readonly entries: readonly { readonly key: string; readonly value: string }[]
  readonly limit: unknown
  readonly hitsAddend: { readonly value: number } | null
}

export interface RateLimitRequest {
  readonly domain: string
  readonly descriptors: readonly Descriptor[]
  readonly hitsAddend: number
}

export interface DescriptorStatus {
  readonly code: number
  readonly currentLimit?: { readonly name: string; readonly requestsPerUnit: number; readonly unit: number }
  readonly limitRemaining?: number
  readonly durationUntilReset?: { readonly seconds: number; readonly nanos: number }
}

export interface RateLimitResponse {
  readonly overallCode: number
  readonly statuses: readonly DescriptorStatus[]
  readonly responseHeadersToAdd: readonly { readonly key: string; readonly value: string }[]
  readonly rawBody?: Uint8Array
}

type Field = readonly [id: number, type: string, rule?: 'repeated']

function message(fields: { readonly [name: string]: Field }): object {
  const all = Object.entries(fields).map(([name, [id, type, rule]]) => [
    name,
    { id, type, ...(rule && { rule }) },
  ])
  return { fields: Object.fromEntries(all) }
}

/** The parts of the protocols that are read and written here. Other fields of a message are skipped, as in all protobuf. */
const rateLimit = {
  Entry: message({ key: [1, 'string'], value: [2, 'string'] }),
  Override: message({ requestsPerUnit: [1, 'uint32'], unit: [2, 'uint32'] }),
  UInt64: message({ value: [1, 'uint64'] }),
  Descriptor: message({
    entries: [1, 'Entry', 'repeated'],
    limit: [2, 'Override'],
    hitsAddend: [3, 'UInt64'],
  }),
  RateLimitRequest: message({
    domain: [1, 'string'],
    descriptors: [2, 'Descriptor', 'repeated'],
    hitsAddend: [3, 'uint32'],
  }),
  Duration: message({ seconds: [1, 'int64'], nanos: [2, 'int32'] }),
  Limit: message({ requestsPerUnit: [1, 'uint32'], unit: [2, 'uint32'], name: [3, 'string'] }),
  Status: message({
    code: [1, 'uint32'],
    currentLimit: [2, 'Limit'],
    limitRemaining: [3, 'uint32'],
    durationUntilReset: [4, 'Duration'],
  }),
  Header: message({ key: [1, 'string'], value: [2, 'string'] }),
  RateLimitResponse: message({
    overallCode: [1, 'uint32'],
    statuses: [2, 'Status', 'repeated'],
    responseHeadersToAdd: [3, 'Header', 'repeated'],
    rawBody: [5, 'bytes'],
  }),
  RateLimitService: {
    methods: {
      ShouldRateLimit: { requestType: 'RateLimitRequest', responseType: 'RateLimitResponse' },
    },
  },
}
const health = {
  HealthCheckRequest: message({ service: [1, 'string'] }),
  HealthCheckResponse: message({ status: [1, 'uint32'] }),
  Health: {
    methods: {
      Check: { requestType: 'HealthCheckRequest', responseType: 'HealthCheckResponse' },
      Watch: { requestType: 'HealthCheckRequest', responseType: 'HealthCheckResponse', responseStream: true },
    },
  },
}

export const rateLimitName = 'envoy.service.ratelimit.v3.RateLimitService'
const healthName = 'grpc.health.v1.Health'

function inPackage(name: string, nested: object): object {
  return name.split('.').reduceRight((inner: object, part) => ({ [part]: { nested: inner } }), nested)
}

const definitions = fromJSON(
  {
    nested: {
      ...inPackage('envoy.service.ratelimit.v3', rateLimit),
      ...inPackage('grpc.health.v1', health),
    },
  },
  { longs: Number, defaults: true, arrays: true },
)

export const rateLimitService = definitions[rateLimitName] as ServiceDefinition // declared above
export const healthService = definitions[healthName] as ServiceDefinition // declared above
