import {
  asError,
  bindingDecision,
  type Gate,
  type HeaderPort,
  type ProxyTrust,
  type RequestFacts,
} from '@sluice/core/http'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { HookName } from './options.ts'

type RequestHook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** Fastify does not tell how far it trusts proxies; a request has `ips` where it trusts any. */
function trustOf(request: FastifyRequest): ProxyTrust {
  return 'ips' in request ? 'some' : 'none'
}

function factsOf(request: FastifyRequest): RequestFacts {
  return {
    method: request.method,
    route: request.routeOptions.url,
    ip: request.ip,
    trust: trustOf(request),
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

/** A gate as a hook of Fastify's. */
export function hookOf(gate: Gate<FastifyRequest>): RequestHook {
  return async function rateLimit(request, reply) {
    try {
      const exchange = { request, facts: factsOf(request), fields: new ReplyFields(reply), raw: reply.raw }
      const { refusal } = await gate.handle(exchange)
      if (refusal === null) return
      // As bytes: to a text Fastify would add a charset, which JSON has none of. A hook that has sent answers the reply.
      reply.code(refusal.status).header('Content-Type', refusal.type).send(Buffer.from(refusal.body))
      return reply as never
    } catch (thrown) {
      throw asError(thrown)
    } finally {
      request.rateLimit = bindingDecision(request) ?? null
    }
  }
}

/** Puts a gate before a route, ahead of the route's own hooks of that name. */
export function addHook(route: RouteOptions, name: HookName, gate: Gate<FastifyRequest>): void {
  const hook = hookOf(gate)
  const own: unknown = route[name]
  const others = own === undefined ? [] : [own].flat()
  Object.assign(route, { [name]: [hook, ...others] })
}
