import type { errorResponseBuilderContext } from './types.ts'

/** The error of @fastify/rate-limit. It has no code, as Fastify would put that into the answer. */
export function refusalError({ after, statusCode }: errorResponseBuilderContext): Error {
  return Object.assign(new Error(`Rate limit exceeded, retry in ${after}`), { statusCode })
}
