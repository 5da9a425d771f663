import { observing } from '@sluice/core/internal'
import { asError } from '@sluice/http/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { timeInWords } from '../words.ts'
import type { Limiter } from './limiter.ts'
import type { Params } from './options.ts'
import { refusalError } from './refusal-error.ts'
import type { RateLimitResult } from './types.ts'

/** Nobody awaits what a listener returns, so its rejections are caught here: unhandled, they would end the process. */
const { ignore } = observing.Reports

export type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>
type Counted = Extract<RateLimitResult, { isAllowed: false }>

/** A hook of Fastify. `counted`: the requests that the same registration has counted, as each counts once. */
export function hookOf(limiter: Limiter, counted: WeakSet<FastifyRequest>): Hook {
  return async function rateLimit(request, reply) {
    if (counted.has(request)) return
    counted.add(request)
    try {
      const result = await limiter.ask(request, true)
      if (!result.isAllowed) await answer(limiter.params, result, { request, reply })
    } catch (thrown) {
      // Fastify takes a thrown `undefined` or `null` for success, and the request would go on.
      throw typeof thrown === 'object' && thrown !== null ? thrown : asError(thrown)
    }
  }
}

async function answer(
  params: Params,
  { key, max, remaining, ttl, ttlInSeconds, isExceeded, isBanned }: Counted,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<void> {
  const { labels, addHeaders, addHeadersOnExceeding } = params
  const shown = isExceeded ? addHeaders : addHeadersOnExceeding
  if (shown[labels.limit]) reply.header(labels.limit, max)
  if (shown[labels.remaining]) reply.header(labels.remaining, remaining)
  if (shown[labels.reset]) reply.header(labels.reset, ttlInSeconds)
  if (!isExceeded) {
    ignore(params.onExceeding?.(request, key))
    return
  }
  if (shown[labels.retryAfter]) reply.header(labels.retryAfter, ttlInSeconds)
  ignore(params.onExceeded?.(request, key))
  if (isBanned) ignore(params.onBanReach?.(request, key))
  const statusCode = isBanned ? 403 : 429
  const context = { statusCode, ban: isBanned, max, ttl, after: timeInWords(ttlInSeconds * 1000) }
  throw (await params.errorResponseBuilder?.(request, context)) ?? refusalError(context)
}
