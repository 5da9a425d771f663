import { type FrontParts, outcomeFor } from './decide.ts'
import { pathsOf, statusOf } from './descriptors.ts'
import { bodyForEnvoy } from './grpc/body.ts'
import { code, type RateLimitRequest, type RateLimitResponse } from './grpc/messages.ts'

/** The answer to a request of Envoy's protocol, over gRPC or as JSON. Throws an InvalidRequest. */
export async function respond(request: RateLimitRequest, parts: FrontParts): Promise<RateLimitResponse> {
  const together = await parts.decide(pathsOf(request))
  const { headers, refusal } = outcomeFor(together, parts)
  const fields = headers.map(([key, value]) => ({ key: key.toLowerCase(), value }))
  const statuses = together.parts.map(statusOf)
  if (refusal === null) return { overallCode: code.ok, statuses, responseHeadersToAdd: fields }
  return {
    overallCode: code.overLimit,
    statuses,
    responseHeadersToAdd: [...fields, { key: 'content-type', value: refusal.type }],
    rawBody: Buffer.from(bodyForEnvoy(refusal)),
  }
}
