import type { ExecutionContext } from '@nestjs/common'
import { type RequestFacts, serverFacts } from '@sluice/http/internal'
import { type Call, isObject, nowhere } from './calls.ts'
import { RateLimitException } from './exception.ts'
import type { NestFacts, Trust } from './http.ts'

/** The client of a gateway: a socket of socket.io, or one of ws, which keeps no request. */
interface GatewayClient {
  readonly handshake?: { readonly address: string; readonly headers: RequestFacts['headers'] }
  readonly _socket?: { readonly remoteAddress?: string | undefined }
  /** Of ws. */
  readonly readyState?: number
  /** Of socket.io. */
  readonly connected?: boolean
}

/** What ws calls CLOSED. */
const closed = 3

/** A message of a gateway. */
export function messageCall(context: ExecutionContext, trust: Trust): Call {
  const args = context.getArgs()
  const client: GatewayClient & object = args[0]
  return {
    request: client,
    facts: new MessageFacts(client, { pattern: args.at(-1), trust, context }),
    holder: args,
    args,
    anchor: args[1],
    fields: nowhere,
  }
}

/** Whether the client of a gateway has gone. */
export function isGone({ readyState, connected }: GatewayClient): boolean {
  return readyState === closed || connected === false
}

class MessageFacts implements NestFacts {
  readonly context: ExecutionContext
  readonly method = 'MESSAGE'
  readonly route: string
  readonly ip: string | undefined
  readonly peer: string | undefined
  readonly trustsAll: boolean
  readonly headers: RequestFacts['headers']

  constructor(
    { handshake, _socket }: GatewayClient,
    { pattern, trust, context }: { pattern: unknown; trust: Trust; context: ExecutionContext },
  ) {
    this.context = context
    const headers = handshake?.headers ?? {}
    const socket = { remoteAddress: handshake?.address ?? _socket?.remoteAddress }
    const { ip, peer, trustsAll } = serverFacts({ headers, socket }, trust)
    this.route = typeof pattern === 'string' ? pattern : JSON.stringify(pattern)
    this.ip = ip
    this.peer = peer
    this.trustsAll = trustsAll
    this.headers = headers
  }
}

/** Turns a refusal into an error that Nest sends as an `exception`: others it calls internal. The class is loaded only with gateways. */
export async function messageError(thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof RateLimitException)) return thrown
  const { WsException } = await import('@nestjs/websockets')
  const { code, decision, statusCode, headers } = thrown
  const error = new WsException(contentOf(thrown))
  error.name = 'RateLimitWsException'
  return Object.assign(error, { code, decision, status: statusCode, statusCode, headers, expose: true })
}

/** The members of the problem, in the form of the errors of gateways. */
function contentOf(refused: RateLimitException): object {
  const content = refused.getResponse()
  if (!isObject(content)) return { status: 'error', message: content }
  const { title, detail } = content as { readonly [name: string]: unknown } // a problem's
  return {
    ...content,
    type: undefined,
    title: undefined,
    detail: undefined,
    status: 'error',
    message: detail ?? title,
  }
}
