import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis6'
import { listenAt } from '../outage/listen-at.ts'
import { replyTo } from './commands.ts'
import type { FrontFault } from './front-fault.ts'

/** A request as it came. */
export interface FrontCall {
  readonly path: string
  /** The names of the request's commands. */
  readonly commands: readonly string[]
}

/** An HTTP server that speaks the REST protocol of Upstash before a real Redis, with faults that can be chosen at any time. */
export class RestFront {
  readonly token = 'a-token-of-the-front'
  /** All requests that have come, with faults or without. */
  readonly calls: FrontCall[] = []
  /** Ends no idle connection: on a busy machine a request may be on its way there. */
  readonly #server: Server = createServer(
    { keepAliveTimeout: 0 },
    (request, response) => void this.#serve(request, response),
  )
  readonly #client: Redis
  #port = 0
  #fault: FrontFault = { fault: 'none' }

  /** `redis`: the unix socket of the real server, or its port. */
  constructor(redis: string | number) {
    const place = typeof redis === 'string' ? { path: redis } : { port: redis }
    this.#client = new Redis({ ...place, lazyConnect: true, enableOfflineQueue: true })
    this.#client.on('error', () => {})
  }

  /** Listens; once it was started, always on the same port. */
  async start(): Promise<void> {
    this.#port = await listenAt(this.#server, this.#port)
  }

  get url(): string {
    if (this.#port === 0) throw new Error('it is not started')
    return `http://127.0.0.1:${this.#port}`
  }

  /** Sets the fault from the next request on. */
  become(fault: FrontFault): void {
    this.#fault = fault
  }

  /** Ends all connections, and stops listening until it is started again. */
  async refuse(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  async end(): Promise<void> {
    if (this.#server.listening) await this.refuse()
    this.#client.disconnect()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? ''
    const fault = this.#fault
    response.on('error', () => {})
    const asked = parsed(await text(request).catch(() => ''))
    const commands = path === '/pipeline' && Array.isArray(asked) ? asked : [asked]
    this.calls.push({ path, commands: commands.map((words) => String(Array.isArray(words) ? words[0] : '')) })
    if (request.headers.authorization !== `Bearer ${this.token}`)
      return answer(response, 401, '{"error":"WRONGPASS invalid or missing auth token"}')
    switch (fault.fault) {
      case 'silence':
        return
      case 'answer':
        return answer(response, fault.status, fault.body ?? '', fault.location)
      case 'flood':
        return flood(response)
    }
    const base64 = request.headers['upstash-encoding'] === 'base64'
    const replies = await Promise.all(commands.map((each) => replyTo(this.#client, each, base64)))
    if (fault.fault === 'slow') await sleep(fault.ms)
    const alone = path !== '/pipeline'
    const body = JSON.stringify(alone ? replies[0] : replies)
    if (fault.fault === 'cut') return cutOff(response, body)
    answer(response, alone && 'error' in (replies[0] ?? {}) ? 400 : 200, body)
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function answer(response: ServerResponse, status: number, body: string, location?: string): void {
  const type = body.startsWith('<') ? 'text/html' : 'application/json'
  response.writeHead(status, { 'content-type': type, ...(location === undefined ? {} : { location }) })
  response.end(body)
}

function cutOff(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.write(body.slice(0, body.length / 2), () => response.destroy())
}

function flood(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const chunk = Buffer.alloc(64 * 1024, ' ')
  const pour = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', pour)
  pour()
}
