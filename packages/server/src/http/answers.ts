import type { IncomingMessage } from 'node:http'
import { isOptionError } from '@sluice/core'
import { jsonAnswer, type PlainAnswer, problemAnswer, readJsonBody } from '@sluice/http/internal'
import type { AskedPath, TogetherDecision } from '@sluice/limits'
import { type FrontParts, leftOf, outcomeFor } from '../decide.ts'
import { InvalidRequest } from '../descriptors.ts'
import { code } from '../grpc/messages.ts'
import { respond } from '../respond.ts'
import type { Token } from '../secrets/token.ts'
import { pathsOfBody, pathsOfHeaders } from './asked.ts'
import { Door } from './door.ts'
import { jsonOfResponse, requestOfJson } from './json.ts'

const maxBodyBytes = 65_536

export interface HttpParts extends FrontParts {
  readonly health: () => object
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>
  /** undefined: clients need none. */
  readonly token: Token | undefined
}

/** Answers the requests for each path of the HTTP API. */
export class Answers {
  readonly #parts: HttpParts
  readonly #door: Door
  #serving = true

  constructor(parts: HttpParts) {
    this.#parts = parts
    this.#door = new Door(parts)
  }

  /** Makes `/readyz` answer 503. */
  stopServing(): void {
    this.#serving = false
  }

  async to(request: IncomingMessage): Promise<PlainAnswer> {
    try {
      return await this.#answerTo(request)
    } catch (error) {
      if (error instanceof InvalidRequest) return problemAnswer(error.status, error.message)
      this.#parts.failed(error)
      return problemAnswer(500, 'The limits could not be asked.')
    }
  }

  async #answerTo(request: IncomingMessage): Promise<PlainAnswer> {
    const [path = '', query = ''] = (request.url ?? '').split('?', 2)
    const methods = routes[path]
    if (methods === undefined)
      return problemAnswer(404, 'There are /check, /json, /auth, /healthz, /readyz and /metrics.')
    if (!methods.includes(request.method ?? ''))
      return problemAnswer(405, `Allowed here: ${methods.join(', ')}.`, {
        fields: [['Allow', methods.join(', ')]],
      })
    const refusal = this.#door.refusalOf(request, path)
    if (refusal !== undefined) return refusal
    if (path === '/check') return this.#check(request)
    if (path === '/json') return this.#json(request)
    if (path === '/auth') return this.#auth(request, query)
    if (path === '/metrics') {
      const { type, text } = await this.#parts.metrics()
      return { status: 200, headers: [['Content-Type', type]], body: text }
    }
    return jsonAnswer(path === '/readyz' && !this.#serving ? 503 : 200, this.#parts.health())
  }

  async #check(request: IncomingMessage): Promise<PlainAnswer> {
    const body = await bodyOf(request, '{"path":["user","alex"]}')
    const together = await this.#decide(pathsOfBody(body))
    const { headers, refusal } = outcomeFor(together, this.#parts)
    const more = { allowed: refusal === null, checks: checksOf(together) }
    if (refusal === null) return jsonAnswer(200, more, headers)
    const problem = problemAnswer(refusal.status, 'Refused by a limit.', { more })
    return { ...problem, headers: merged(problem.headers, headers) }
  }

  /** Throws an InvalidRequest if the limits do not accept a question: a fraction without a unit, an instant without a calendar. */
  async #decide(asked: readonly AskedPath[]): Promise<TogetherDecision> {
    try {
      return await this.#parts.decide(asked)
    } catch (error) {
      throw isOptionError(error) ? new InvalidRequest(error.message) : error
    }
  }

  /** Envoy's protocol for clients without gRPC. */
  async #json(request: IncomingMessage): Promise<PlainAnswer> {
    const body = await bodyOf(
      request,
      '{"domain":"shop","descriptors":[{"entries":[{"key":"user","value":"alex"}]}]}',
    )
    const response = await respond(requestOfJson(body), this.#parts)
    return jsonAnswer(response.overallCode === code.ok ? 200 : 429, jsonOfResponse(response))
  }

  /** Answers without a body, as proxies drop it. */
  async #auth(request: IncomingMessage, query: string): Promise<PlainAnswer> {
    const together = await this.#parts.decide(pathsOfHeaders(request.rawHeaders))
    const { headers, refusal } = outcomeFor(together, this.#parts)
    if (refusal === null) return { status: 204, headers, body: '' }
    const status = query === 'status=403' ? 403 : refusal.status
    const fields = [...headers, ['X-Limit-Status', String(refusal.status)], ['Content-Length', '0']] as const
    return { status, headers: fields, body: '' }
  }
}

async function bodyOf(request: IncomingMessage, example: string): Promise<unknown> {
  const { fault, value } = await readJsonBody(request, maxBodyBytes)
  if (fault === 'too-long') throw new InvalidRequest(`expected at most ${maxBodyBytes} bytes`, 413)
  if (fault !== undefined) throw new InvalidRequest(`expected a body of JSON such as ${example}`)
  return value
}

const routes: { readonly [path: string]: readonly string[] | undefined } = Object.assign(
  Object.create(null),
  {
    '/check': ['POST'],
    '/json': ['POST'],
    '/auth': ['GET', 'HEAD', 'POST'],
    '/healthz': ['GET', 'HEAD'],
    '/readyz': ['GET', 'HEAD'],
    '/metrics': ['GET', 'HEAD'],
  },
)

/** The verdicts on each path, in plain numbers. */
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

/** Joins fields. The first of a name wins, whatever its case. */
function merged(fields: Fields, more: Fields): Fields {
  const names = new Set(fields.map(([name]) => name.toLowerCase()))
  return [...fields, ...more.filter(([name]) => !names.has(name.toLowerCase()))]
}
