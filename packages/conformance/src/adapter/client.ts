import http, { type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

export interface Sent {
  readonly method?: string
  readonly path?: string
  /** Who asks, as `X-Key`. */
  readonly by?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** On a connection of its own: some clients send a request again whose connection was used before and breaks. */
  readonly alone?: boolean
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends requests to a server as they are: no path is tidied, no field added but X-Key. */
export class Client {
  readonly #server: Server
  readonly #agent = new http.Agent({ keepAlive: true })

  constructor(server: Server) {
    this.#server = server
  }

  /** Where the server listens, for http.request and net.connect. */
  get target(): { readonly host: string; readonly port: number } | { readonly path: string } {
    const address = this.#server.address()
    if (typeof address === 'string') return { path: address }
    const { port } = address as AddressInfo // a server that listens has an address
    return { host: '127.0.0.1', port }
  }

  get url(): string {
    const { target } = this
    return 'port' in target ? `http://${target.host}:${target.port}` : ''
  }

  send(sent: Sent = {}): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const request = this.open(sent)
      request.on('error', reject)
      request.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode = 0, headers } = response
          resolve({ status: statusCode, headers, body: Buffer.concat(chunks).toString() })
        })
      })
    })
  }

  /** A request under way, to be aborted or watched. */
  open({
    method = 'GET',
    path = '/tickets',
    by = 'bob',
    headers = {},
    body = '',
    alone = false,
  }: Sent = {}): http.ClientRequest {
    const { target } = this
    const where = 'path' in target ? { socketPath: target.path } : target
    const request = http.request({
      ...where,
      agent: alone ? false : this.#agent,
      method,
      path,
      headers: { 'X-Key': by, ...headers },
    })
    return request.end(body)
  }

  /** So many requests at once. */
  crowd(count: number, sent: Sent = {}): Promise<Reply[]> {
    return Promise.all(Array.from({ length: count }, () => this.send(sent)))
  }

  close(): void {
    this.#agent.destroy()
  }
}
