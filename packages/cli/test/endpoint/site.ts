import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { memoryStore } from '@sluice/core'
import { createGate, handleRequest } from '@sluice/http/internal'
import { manualClock } from '@sluice/testing'
import {
  type EndpointAnswer,
  type LoadTestEndpoint,
  type LoadTestEndpointOptions,
  loadTestEndpoint,
  type RunOrder,
} from '../../src/endpoint/index.ts'

/** What came back; the body is JSON wherever there is one. */
export interface Answered {
  readonly status: number | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: { readonly [name: string]: unknown }
}

interface Asked {
  readonly headers?: { readonly [name: string]: string }
  readonly body?: unknown
}

/** A load-test endpoint behind a plain server of Node, on a clock that stands still. */
export class Site {
  readonly clock: ReturnType<typeof manualClock> = manualClock()
  readonly endpoint: LoadTestEndpoint
  readonly #server: ReturnType<typeof createServer>

  constructor(options: LoadTestEndpointOptions = {}) {
    const { clock } = this
    this.endpoint = loadTestEndpoint({ clock, store: memoryStore({ clock }), ...options })
    const gate = createGate<IncomingMessage>(this.endpoint.limits)
    const serve = async (req: IncomingMessage, res: ServerResponse) => {
      const [, , id, tickets] = req.url?.split('/') ?? []
      if (tickets === undefined || id === undefined) return give(res, await this.endpoint.answer(req, id))
      const turnedAway = this.endpoint.enter(req, id)
      if (turnedAway !== null) return give(res, turnedAway)
      const { method = '', headers } = req
      const facts = {
        method,
        route: undefined,
        ip: '127.0.0.1',
        peer: '127.0.0.1',
        trustsAll: false,
        headers,
      }
      const { refusal } = await handleRequest(gate, { request: req, facts, fields: res, raw: res })
      if (refusal === null) return give(res, await this.endpoint.sell(req))
      res.writeHead(refusal.status, { 'Content-Type': refusal.type }).end(refusal.body)
    }
    this.#server = createServer((req, res) => void serve(req, res))
  }

  async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port // it listens on a port
  }

  async ask(method: string, path: string, { headers = {}, body }: Asked = {}): Promise<Answered> {
    const sent = request({ host: '127.0.0.1', port: this.port, method, path, headers, agent: false })
    sent.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body))
    const [response]: IncomingMessage[] = await once(sent, 'response')
    if (response === undefined) throw new Error('no response')
    let text = ''
    for await (const chunk of response) text += chunk
    return {
      status: response.statusCode,
      headers: response.headers,
      body: text === '' ? {} : JSON.parse(text),
    }
  }

  open(order: RunOrder): Promise<Answered> {
    return this.ask('POST', '/crowd', { body: order })
  }

  /** Status codes of visitors who come one after another to the run that was opened. */
  async visit({ body }: Answered, visitors: readonly string[]): Promise<(number | undefined)[]> {
    const codes: (number | undefined)[] = []
    for (const visitor of visitors) {
      codes.push((await this.ask('POST', String(body.tickets), { headers: { 'X-Visitor': visitor } })).status)
    }
    return codes
  }

  async close(): Promise<void> {
    await this.endpoint.close()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

function give(res: ServerResponse, { status, headers, body }: EndpointAnswer): void {
  res.writeHead(status, headers.flat()).end(body)
}
