import { type ArgumentsHost, Catch } from '@nestjs/common'
import { BaseExceptionFilter } from '@nestjs/core'
import type { Refusal } from '@sluice/http'
import { RateLimitException } from './exception.ts'
import { type AnyReply, answerOf, isReply } from './http.ts'

/** Answers refusals that no filter of the application has caught: Nest's own would send any body as `application/json`. */
export class RateLimitFilter extends BaseExceptionFilter<RateLimitException> {
  override catch(exception: RateLimitException, host: ArgumentsHost): void {
    // Elsewhere the exception itself is what Nest hands on.
    if (host.getType() !== 'http') return
    const response: AnyReply = host.getArgByIndex(1)
    if (exception.refusal === null || answerOf(response).headersSent) super.catch(exception, host)
    else send(response, exception.refusal)
  }
}

Catch(RateLimitException)(RateLimitFilter)

/** As it is, by neither framework's own means, which would add a charset to JSON. */
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
