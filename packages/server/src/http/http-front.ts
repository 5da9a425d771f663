import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Address } from '../address.ts'
import { requestMs } from '../decide.ts'
import { Answers, type HttpParts } from './answers.ts'
import { serverOf } from './server.ts'

const maxHeaderBytes = 16_384
/** How often Node looks for late requests; every thirty seconds unless set. */
const lookMs = 250
const idleMs = 60_000
const sweepMs = 50
/** How long a request on a connection that seems idle may be on its way. */
const onTheWayMs = 250

/** The small HTTP API: decisions for clients that speak JSON, answers for `auth_request`, health and metrics. */
export class HttpFront {
  readonly #answers: Answers
  readonly #server: Server | SecureServer
  /** All sockets, also those still in a TLS handshake, of which the server itself says nothing. */
  readonly #sockets = new Set<Socket>()

  constructor(parts: HttpParts) {
    this.#answers = new Answers(parts)
    const settings = {
      maxHeaderSize: maxHeaderBytes,
      requestTimeout: requestMs,
      headersTimeout: requestMs,
      connectionsCheckingInterval: lookMs,
      keepAliveTimeout: idleMs,
    }
    this.#server = serverOf(parts.tls, settings)
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    this.#server.on('request', (request, response) => void this.#handle(request, response))
  }

  /** Resolves to the port. */
  async listen({ host, port }: Address): Promise<number> {
    this.#server.listen(port, host)
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port // it listens on a port
  }

  /** Makes `/readyz` answer 503. */
  stopServing(): void {
    this.#answers.stopServing()
  }

  /** Closes the server. Requests that are under way are answered within that time, or cut off. */
  async close(graceMs: number): Promise<void> {
    this.stopServing()
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    // Not the `close` of node:http, which ends connections that are idle, also those whose first request is on its way.
    NetServer.prototype.close.call(this.#server)
    const untilMs = performance.now() + onTheWayMs
    const idle = setInterval(() => {
      if (performance.now() >= untilMs) this.#server.closeIdleConnections()
    }, sweepMs)
    const late = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy()
    }, graceMs)
    await closed
    clearInterval(idle)
    clearTimeout(late)
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.#answers.to(request)
    // A client that asks while the server closes is told to ask on another connection, which leads to another server.
    if (!this.#server.listening) response.shouldKeepAlive = false
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(request.method === 'HEAD' ? undefined : answer.body)
  }
}
