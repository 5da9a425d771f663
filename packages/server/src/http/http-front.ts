import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  hostNameOf,
  isLoopbackName,
  isOwnOrigin,
  jsonAnswer,
  type PlainAnswer,
  problemAnswer,
  readJsonBody,
} from '@sluice/http/internal'
import type { TogetherDecision } from '@sluice/limits'
import type { Address } from '../address.ts'
import { type FrontParts, leftOf, outcomeFor, requestMs } from '../decide.ts'
import { InvalidRequest } from '../descriptors.ts'
import { pathsOfBody, pathsOfHeaders } from './asked.ts'

const maxBodyBytes = 65_536
const maxHeaderBytes = 16_384
/** Node looks for late requests only so often, every thirty seconds unless set. */
const lookMs = 250
const idleMs = 60_000
const sweepMs = 50

export interface HttpParts extends FrontParts {
  readonly health: () => object
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>
}

/** The small HTTP API: decisions for whoever speaks JSON, answers for `auth_request`, health and metrics. */
export class HttpFront {
  readonly #parts: HttpParts
  readonly #server: Server
  #serving = true

  constructor(parts: HttpParts) {
    this.#parts = parts
    const settings = {
      maxHeaderSize: maxHeaderBytes,
      requestTimeout: requestMs,
      headersTimeout: requestMs,
      connectionsCheckingInterval: lookMs,
      keepAliveTimeout: idleMs,
    }
    this.#server = createServer(settings, (request, response) => void this.#handle(request, response))
  }

  /** Resolves to the port. */
  async listen({ host, port }: Address): Promise<number> {
    this.#server.listen(port, host)
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port // it listens on a port
  }

  /** `/readyz` says so from now on. */
  stopServing(): void {
    this.#serving = false
  }

  /** Requests that are under way are answered within that time, or cut off. */
  async close(graceMs: number): Promise<void> {
    this.stopServing()
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    // A connection that is idle now has nothing to wait for.
    const idle = setInterval(() => this.#server.closeIdleConnections(), sweepMs)
    const late = setTimeout(() => this.#server.closeAllConnections(), graceMs)
    await closed
    clearInterval(idle)
    clearTimeout(late)
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let answer: PlainAnswer
    try {
      answer = await this.#answerTo(request)
    } catch (error) {
      if (error instanceof InvalidRequest) answer = problemAnswer(400, error.message)
      else {
        this.#parts.failed(error)
        answer = problemAnswer(500, 'The limits could not be asked.')
      }
    }
    // Whoever asks while the server closes is told to ask on another connection: of another server.
    if (!this.#server.listening) response.shouldKeepAlive = false
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(request.method === 'HEAD' ? undefined : answer.body)
  }

  async #answerTo(request: IncomingMessage): Promise<PlainAnswer> {
    const [path = '', query = ''] = (request.url ?? '').split('?', 2)
    const methods = routes[path]
    if (methods === undefined)
      return problemAnswer(404, 'There are /check, /auth, /healthz, /readyz and /metrics.')
    if (!methods.includes(request.method ?? ''))
      return problemAnswer(405, `Allowed here: ${methods.join(', ')}.`, {
        fields: [['Allow', methods.join(', ')]],
      })
    if (path === '/check')
      return comesFromPage(request)
        ? problemAnswer(403, 'A page in a browser may not ask.')
        : this.#check(request)
    if (path === '/auth') return this.#auth(request, query)
    if (path === '/metrics') {
      const { type, text } = await this.#parts.metrics()
      return { status: 200, headers: [['Content-Type', type]], body: text }
    }
    return jsonAnswer(path === '/readyz' && !this.#serving ? 503 : 200, this.#parts.health())
  }

  async #check(request: IncomingMessage): Promise<PlainAnswer> {
    const { fault, value } = await readJsonBody(request, maxBodyBytes)
    if (fault === 'too-long') return problemAnswer(413, `Expected at most ${maxBodyBytes} bytes.`)
    if (fault !== undefined)
      throw new InvalidRequest('expected a body of JSON such as {"path":["user","alex"]}')
    const together = await this.#parts.decide(pathsOfBody(value))
    const { headers, refusal } = outcomeFor(together, this.#parts)
    const body = { allowed: refusal === null, checks: checksOf(together) }
    if (refusal === null) return jsonAnswer(200, body, headers)
    const problem = problemAnswer(refusal.status, 'Refused by a limit.', { more: body })
    return { ...problem, headers: merged(problem.headers, headers) }
  }

  /** No body: proxies drop it. */
  async #auth(request: IncomingMessage, query: string): Promise<PlainAnswer> {
    const together = await this.#parts.decide(pathsOfHeaders(request.rawHeaders))
    const { headers, refusal } = outcomeFor(together, this.#parts)
    if (refusal === null) return { status: 204, headers, body: '' }
    const status = query === 'status=403' ? 403 : refusal.status
    const fields = [...headers, ['X-Limit-Status', String(refusal.status)], ['Content-Length', '0']] as const
    return { status, headers: fields, body: '' }
  }
}

const routes: { readonly [path: string]: readonly string[] | undefined } = Object.assign(
  Object.create(null),
  {
    '/check': ['POST'],
    '/auth': ['GET', 'HEAD', 'POST'],
    '/healthz': ['GET', 'HEAD'],
    '/readyz': ['GET', 'HEAD'],
    '/metrics': ['GET', 'HEAD'],
  },
)

/**
 * Any page may send a POST to whatever its visitor's machine can reach, and so use up limits. There are no pages here: of this origin
 * is only who types into its answers, and by a name that is not this machine's own the page may be anybody's (DNS rebinding).
 * `/auth` needs no such check: no page can send its fields to another origin without being permitted, and a proxy may pass on those
 * of its client.
 */
function comesFromPage(request: IncomingMessage): boolean {
  return (
    !isOwnOrigin(request) || (request.headers.origin !== undefined && !isLoopbackName(hostNameOf(request)))
  )
}

/** What each path got, in plain numbers. */
function checksOf({ parts }: TogetherDecision): readonly object[] {
  return parts.map(({ allowed, levels }) => ({
    allowed,
    limits: levels.map((level) => ({
      name: level.policy,
      allowed: level.allowed,
      limit: level.limit,
      remaining: leftOf(level),
      resetAfterMs: level.resetAfterMs,
      retryAfterMs: level.retryAfterMs,
    })),
  }))
}

type Fields = PlainAnswer['headers']

/** The first of a name wins, whatever its case. */
function merged(fields: Fields, more: Fields): Fields {
  const names = new Set(fields.map(([name]) => name.toLowerCase()))
  return [...fields, ...more.filter(([name]) => !names.has(name.toLowerCase()))]
}
