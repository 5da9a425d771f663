import type { Work } from '@sluice/core/internal'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod, RouteOptions } from 'fastify'

/** The leases of a request, from its limiters to its handler. */
const works = new WeakMap<FastifyRequest, Work[]>()
/** Handlers that are already wrapped. */
const watched = new WeakSet<RouteHandlerMethod>()
/** On HTTP/2: callbacks that wait for a handler's reply. */
const answered = new WeakMap<FastifyRequest, (answered: true) => void>()

/** Wraps the request's handler, if its route is known. */
export function addWork(request: FastifyRequest, reply: FastifyReply, work: Work): void {
  work.reply = reply
  const earlier = works.get(request)
  if (earlier === undefined) works.set(request, [work])
  else earlier.push(work)
}

/** Wraps the handler of a route once, to see when it is over: a client that hangs up ends the response, but not the handler. */
export function watchHandler(route: RouteOptions): void {
  const { handler } = route
  if (watched.has(handler)) return
  function handle(this: ThisParameterType<RouteHandlerMethod>, request: FastifyRequest, reply: FastifyReply) {
    const answer = handler.call(this, request, reply)
    const all = works.get(request)
    // A returned reply is not the handler's promise: for a handler with a callback only the response says when it is over.
    if (all !== undefined && answer instanceof Promise) void watch(all, answer, { request, reply })
    return answer
  }
  watched.add(handle)
  route.handler = handle
  route.onSend = [noteAnswer, route.onSend ?? []].flat()
}

function noteAnswer(
  request: FastifyRequest,
  _reply: FastifyReply,
  _payload: unknown,
  done: () => void,
): void {
  answered.get(request)?.(true)
  done()
}

async function watch(
  all: readonly Work[],
  answer: Promise<unknown>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<void> {
  for (const work of all) work.begin()
  let handled = true
  try {
    // A handler that returns its unsent reply sends it later; one that has begun an answer past it does not.
    handled = (await endOf(answer, request)) !== undefined || reply.sent || reply.raw.headersSent
  } catch {
    // Fastify handles the error.
  }
  for (const work of all) work.end(handled)
}

/** On HTTP/2, Fastify never completes a handler that returns its reply after the client has gone: there the call to send ends it. */
function endOf(answer: Promise<unknown>, request: FastifyRequest): Promise<unknown> {
  if (request.raw.httpVersionMajor < 2) return answer
  return Promise.race([answer, new Promise<true>((resolve) => answered.set(request, resolve))])
}
