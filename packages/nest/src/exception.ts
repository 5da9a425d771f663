import { HttpException } from '@nestjs/common'
import type { RefusedError } from '@sluice/core'
import type { Refusal } from '@sluice/http'

/**
 * A refusal, for Nest's exception filters. `getResponse()` is the body: the problem as an object, or the text that `onRefused` has
 * chosen; with `refuseBy: 'error'` it is Nest's own. `getStatus()` is 429, 403 or 503. The fields are on the response already, in
 * whatever form a filter answers. `isRefusedError` recognizes it too.
 *
 * @example
 * @Catch(RateLimitException)
 * class Later implements ExceptionFilter {
 *   catch({ decision }: RateLimitException, host: ArgumentsHost) {
 *     host.switchToHttp().getResponse().status(429).json({ tryAgainInMs: decision.retryAfterMs })
 *   }
 * }
 */
export class RateLimitException extends HttpException {
  readonly code = 'SLUICE_REFUSED'
  readonly decision: RefusedError['decision']
  readonly statusCode: number
  /** The fields of the response, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly expose = true
  /** What is sent unless a filter of the application answers; null with `refuseBy: 'error'`, where Nest's own filter answers. */
  readonly refusal: Readonly<Refusal> | null
  /** For GraphQL, where an error has them beside its message. */
  readonly extensions: Readonly<Record<string, unknown>>

  constructor(refused: RefusedError, refusal: Readonly<Refusal> | null) {
    super(refusal === null ? refused.message : contentOf(refusal), refused.status)
    this.name = 'RateLimitException'
    this.message = refused.message
    this.decision = refused.decision
    this.statusCode = refused.status
    this.headers = refused.headers
    this.refusal = refusal
    const { reason, retryAfterMs } = refused.decision
    this.extensions = { code: codes[refused.status] ?? 'TOO_MANY_REQUESTS', reason, retryAfterMs }
  }
}

const codes: { readonly [status: number]: string } = {
  403: 'FORBIDDEN',
  503: 'SERVICE_UNAVAILABLE',
}

/** A body as filters read it. */
function contentOf({ type, body }: Readonly<Refusal>): string | object {
  if (!type.includes('json')) return body
  try {
    const content: unknown = JSON.parse(body)
    return typeof content === 'object' && content !== null ? content : body
  } catch {
    return body
  }
}
