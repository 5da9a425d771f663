import {
  asError,
  bindingDecision,
  type Gate,
  type HeaderPort,
  handleOnNode,
  type RequestFacts,
} from '@sluice/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addWork } from './in-flight.ts'
import { believesAnybody } from './trust.ts'

export type RequestHook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>
export type RequestGate = Gate<FastifyRequest>

/** The route options of a request; each access creates a new object. */
export type Matched = FastifyRequest['routeOptions']

export function factsOf(request: FastifyRequest, { url }: Matched = request.routeOptions): RequestFacts {
  return {
    method: request.method,
    route: url,
    ip: request.ip,
    peer: request.socket.remoteAddress,
    trustsAll: believesAnybody(request),
    headers: request.headers,
  }
}

/** A reply's headers under the names of a response's. */
class ReplyFields implements HeaderPort {
  readonly #reply: FastifyReply

  constructor(reply: FastifyReply) {
    this.#reply = reply
  }

  getHeader(name: string): unknown {
    return this.#reply.getHeader(name)
  }

  setHeader(name: string, value: string): void {
    this.#reply.header(name, value)
  }
}

/** A Fastify hook that runs the gate of a request, if it has one. */
export function hookOf(
  gateOf: (request: FastifyRequest, matched: Matched) => RequestGate | undefined,
): RequestHook {
  return async function rateLimit(request, reply) {
    const matched = request.routeOptions
    const gate = gateOf(request, matched)
    if (gate === undefined) return
    const facts = factsOf(request, matched)
    try {
      const { refusal, work } = await handleOnNode(gate, {
        request,
        facts,
        fields: new ReplyFields(reply),
        raw: reply.raw,
      })
      if (work !== undefined) addWork(request, work)
      if (refusal === null) return
      // As bytes: to a string Fastify would add a charset, which JSON does not have. A hook that has sent a response returns the reply.
      reply.code(refusal.status).header('Content-Type', refusal.type).send(Buffer.from(refusal.body))
      return reply as never
    } catch (thrown) {
      if (!reply.raw.headersSent) throw asError(thrown)
      // If this threw, Fastify would send headers again, which crashes the process.
      request.log.error(thrown)
      reply.hijack().raw.destroy()
      return reply as never
    } finally {
      request.rateLimit = bindingDecision(request) ?? null
    }
  }
}
