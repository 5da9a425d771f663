import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { Subject } from '@sluice/core'
import { isRefusedError } from '@sluice/core'
import { optionalFunction, optionError } from '@sluice/core/internal'
import { asError } from './as-error.ts'
import type { Answer } from './ending.ts'
import { checkArguments, createGate, withHandle } from './gate.ts'
import { handleRequest } from './handle.ts'
import type { Handle, Maybe, RateLimitOptions } from './options.ts'
import { plainText } from './refusal.ts'
import type { Refusal } from './request-view.ts'
import { factsBy, type TrustOptions } from './trust-proxy.ts'

/** A response of Node's own server, HTTP/1 or 2. */
export interface ServerAnswer extends Answer {
  statusCode: number
  getHeader(name: string): unknown
  setHeader(name: string, value: string): unknown
  end(body: string): void
}

const ofNode = 'nothing, as guardRequest is no middleware: frameworks have packages of their own'

function answer(response: ServerAnswer, { status, type, body }: Readonly<Refusal>): void {
  if (response.headersSent) return
  response.statusCode = status
  response.setHeader('Content-Type', type)
  response.end(body)
}

/** Beside the options of every middleware: a plain server has neither proxies that it trusts nor an error handler. */
interface RequestGuardOptions<Req> extends TrustOptions {
  /**
   * Answers in place of a handler when one of the options' functions throws, and to a RefusedError with `refuseBy: 'error'`.
   * @default the status of the refusal, or 500 with a warning
   */
  onError?: ((error: Error, request: Req, response: ServerAnswer) => Maybe<void>) | undefined
}

/**
 * Rate limiting for `node:http` and `node:http2`, where no framework runs. false: the request was answered here. Never rejects.
 *
 * @example
 * const limit = guardRequest({ policy: gcra({ count: 100, period: '1m' }) })
 * createServer(async (request, response) => {
 *   if (await limit(request, response)) response.end('hello')
 * })
 */
export function guardRequest<
  Req extends IncomingMessage | Http2ServerRequest = IncomingMessage,
  N extends string = 'default',
  S = Subject<N>,
>(
  options: RateLimitOptions<Req, N, S> & RequestGuardOptions<Req>,
  ...more: []
): ((request: Req, response: ServerAnswer) => Promise<boolean>) & Handle<Req, N> {
  checkArguments(options, more)
  const gate = createGate<Req, N, S>(options, ['trustProxy', 'onError'])
  const factsOf = factsBy(options.trustProxy)
  const { onError } = options
  optionalFunction(onError, 'onError')

  async function fail(thrown: Error, request: Req, response: ServerAnswer): Promise<void> {
    let error = thrown
    try {
      if (onError !== undefined) return await onError(error, request, response)
    } catch (another) {
      error = asError(another)
    }
    if (isRefusedError(error)) answer(response, plainText(error.status, error.message))
    else {
      gate.limiter.warned?.({ code: 'SLUICE_REQUEST_FAILED', message: `answered with 500: ${error.message}` })
      answer(response, plainText(500))
    }
  }

  async function guardRequest(request: Req, response: ServerAnswer, next?: unknown): Promise<boolean> {
    try {
      if (next !== undefined) throw optionError('next', ofNode, next)
      const handled = { request, facts: factsOf(request), fields: response, raw: response }
      const { refusal } = await handleRequest(gate, handled)
      if (refusal === null) return true
      answer(response, refusal)
    } catch (thrown) {
      await fail(asError(thrown), request, response)
    }
    return false
  }

  return withHandle(guardRequest, gate, factsOf)
}
