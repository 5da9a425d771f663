import { type ArgumentsHost, Catch } from '@nestjs/common'
import { BaseExceptionFilter } from '@nestjs/core'
import type { Refusal } from '@sluice/http'
import { RateLimitException } from './exception.ts'
import { type AnyReply, answerOf, isReply } from './http.ts'

/** Answers refusals that no filter of the application has caught: Nest's own would send any body as `application/json`. */
export class RateLimitFilter extends BaseExceptionFilter<RateLimitException> {
  override catch(exception: RateLimitException, host: ArgumentsHost): void {
    // For calls that are not HTTP, Nest passes on the exception itself.
    if (host.getType() !== 'http') return
    const response: AnyReply = host.getArgByIndex(1)
    if (exception.refusal === null || answerOf(response).headersSent) super.catch(exception, host)
    else send(response, exception.refusal)
  }
}

Catch(RateLimitException)(RateLimitFilter)

/** Sends the body as it is, not as the frameworks send JSON, to which they would add a charset. */
function send(response: AnyReply, { status, type, body }: Readonly<Refusal>): void {
  if (isReply(response)) {
    response
      .code(status)
      .header('content-type', type)
      .serializer((text: string) => text)
      .send(body)
  } else {
    response.status(status).setHeader('Content-Type', type)
    response.end(body)
  }
}
