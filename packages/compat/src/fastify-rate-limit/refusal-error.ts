import type { errorResponseBuilderContext } from './types.ts'

/** As those of @fastify/rate-limit: without a code, which Fastify would put into the answer. */
export function refusalError({ after, statusCode }: errorResponseBuilderContext): Error {
  return Object.assign(new Error(`Rate limit exceeded, retry in ${after}`), { statusCode })
}
