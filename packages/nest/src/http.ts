import type { ExecutionContext } from '@nestjs/common'
import {
  type Answer,
  believesAnybody,
  type HeaderPort,
  type Reply,
  ReplyFields,
  type RequestFacts,
  type readTrusted,
} from '@sluice/http/internal'

/** Which proxies are believed. */
export type Trust = ReturnType<typeof readTrusted>

/** The members of a request that Express and Fastify have in common. */
interface CommonRequest {
  readonly method: string
  readonly ip: string | undefined
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly headers: RequestFacts['headers']
}

interface ExpressRequest extends CommonRequest {
  readonly app?: { get(setting: string): unknown }
  readonly route?: { readonly path: unknown }
}

interface FastifyRequest extends CommonRequest {
  readonly routeOptions: { readonly url: string | undefined }
}

export type AnyRequest = ExpressRequest | FastifyRequest

/** Express's response is Node's own. */
interface ExpressResponse extends Answer {
  getHeader(name: string): unknown
  setHeader(name: string, value: string): unknown
  status(status: number): ExpressResponse
  end(body: string): unknown
}

interface FastifyReply extends Reply {
  readonly raw: Answer
  getHeader(name: string): unknown
  header(name: string, value: string): FastifyReply
  code(status: number): FastifyReply
  serializer(serialize: (body: string) => string): FastifyReply
  send(body: string): unknown
  hijack(): unknown
}

export type AnyReply = ExpressResponse | FastifyReply

export function isReply(response: AnyReply): response is FastifyReply {
  return 'raw' in response
}

/** The facts of a request, and what Nest knows besides: where the call goes. */
export interface NestFacts extends RequestFacts {
  /** undefined where a key is asked for outside of a call. */
  readonly context: ExecutionContext | undefined
}

export function factsOf(request: AnyRequest, context?: ExecutionContext): NestFacts {
  return 'routeOptions' in request ? fastifyFacts(request, context) : new ExpressFacts(request, context)
}

function fastifyFacts(request: FastifyRequest, context: ExecutionContext | undefined): NestFacts {
  return {
    context,
    method: request.method,
    route: request.routeOptions.url,
    ip: request.ip,
    peer: request.socket.remoteAddress,
    trustsAll: believesAnybody(request),
    headers: request.headers,
  }
}

class ExpressFacts implements NestFacts {
  readonly context: ExecutionContext | undefined
  readonly ip: string | undefined
  readonly peer: string | undefined
  readonly trustsAll: boolean
  readonly headers: RequestFacts['headers']
  readonly #request: ExpressRequest

  constructor(request: ExpressRequest, context: ExecutionContext | undefined) {
    this.context = context
    this.ip = request.ip
    this.peer = request.socket.remoteAddress
    this.trustsAll = request.app?.get('trust proxy') === true
    this.headers = request.headers
    this.#request = request
  }

  get method(): string {
    return this.#request.method
  }

  get route(): string | undefined {
    const path: unknown = this.#request.route?.path
    return path === undefined ? undefined : String(path)
  }
}

export function fieldsOf(response: AnyReply): HeaderPort {
  return isReply(response) ? new ReplyFields(response) : response
}

export function answerOf(response: AnyReply): Answer {
  return isReply(response) ? response.raw : response
}
