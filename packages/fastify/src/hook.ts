import { isLater } from '@sluice/core/internal'
import {
  asError,
  believesAnybody,
  bindingDecision,
  type Gate,
  type HandledOutcome,
  handleRequest,
  type Maybe,
  ReplyFields,
  type RequestFacts,
} from '@sluice/http/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addWork } from './in-flight.ts'

export type RequestHook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>
export type RequestGate = Gate<FastifyRequest>

/** The route options of a request; each access creates a new object. */
export type Matched = FastifyRequest['routeOptions']

class FastifyFacts implements RequestFacts {
  readonly method: string
  readonly route: string | undefined
  readonly ip: string
  readonly peer: string | undefined
  readonly trustsAll: boolean
  readonly headers: RequestFacts['headers']

  constructor(request: FastifyRequest, { url }: Matched) {
    this.method = request.method
    this.route = url
    this.ip = request.ip
    this.peer = request.socket.remoteAddress
    this.trustsAll = believesAnybody(request)
    this.headers = request.headers
  }
}

export function factsOf(request: FastifyRequest, matched: Matched = request.routeOptions): RequestFacts {
  return new FastifyFacts(request, matched)
}

/** Whether the request goes on; answers a refused one. */
function goesOn({ refusal, work }: HandledOutcome, request: FastifyRequest, reply: FastifyReply): boolean {
  request.rateLimit = bindingDecision(request) ?? null
  if (work !== undefined) addWork(request, reply, work)
  if (refusal === null) return true
  // Without a serializer Fastify would add a charset to a text, which JSON does not have. An error handler gets Fastify's serializer again.
  const serializer = (body: string) => {
    reply.serializer(null as never) // as a reply begins
    return body
  }
  reply.code(refusal.status).header('content-type', refusal.type).serializer(serializer).send(refusal.body)
  return false
}

/**
 * Hands an error to Fastify, unless an answer has begun: Fastify would send headers again, which crashes the process. An answer that was
 * ended in the meantime, by a timeout for example, is whole, and is sent to its end.
 */
function fail(thrown: unknown, request: FastifyRequest, reply: FastifyReply): false {
  request.rateLimit = bindingDecision(request) ?? null
  if (!reply.raw.headersSent) throw asError(thrown)
  request.log.error(thrown)
  reply.hijack()
  if (!reply.raw.writableEnded) reply.raw.destroy()
  return false
}

async function later(
  outcome: Promise<HandledOutcome>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  try {
    return goesOn(await outcome, request, reply)
  } catch (thrown) {
    return fail(thrown, request, reply)
  }
}

/** A Fastify hook that runs the gate of a request, if it has one. */
export function hookOf(
  gateOf: (request: FastifyRequest, matched: Matched) => RequestGate | undefined,
): RequestHook {
  /** Whether the request goes on. */
  function limit(request: FastifyRequest, reply: FastifyReply): Maybe<boolean> {
    const matched = request.routeOptions
    const gate = gateOf(request, matched)
    if (gate === undefined) return true
    try {
      const facts = factsOf(request, matched)
      const outcome = handleRequest(gate, { request, facts, fields: new ReplyFields(reply), raw: reply.raw })
      return isLater(outcome) ? later(outcome, request, reply) : goesOn(outcome, request, reply)
    } catch (thrown) {
      return fail(thrown, request, reply)
    }
  }

  async function promised(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!(await limit(request, reply))) return reply as never
  }

  /** Fastify passes `done`: then no promise is made, and `done` is not called for a request that has had its answer. */
  function rateLimit(
    request: FastifyRequest,
    reply: FastifyReply,
    payload?: unknown,
    done: unknown = payload,
  ): Promise<void> | undefined {
    if (typeof done !== 'function') return promised(request, reply)
    let goes: Maybe<boolean>
    try {
      goes = limit(request, reply)
    } catch (thrown) {
      done(thrown)
      return undefined
    }
    if (isLater(goes))
      goes.then(
        (on) => {
          if (on) done()
        },
        (thrown: unknown) => done(thrown),
      )
    else if (goes) done()
    return undefined
  }

  return rateLimit as RequestHook // called without `done`, it answers a promise
}
