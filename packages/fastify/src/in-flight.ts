import { KeptWith, type Work, whenClosed } from '@sluice/http/internal'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod, RouteOptions } from 'fastify'

/** What a request holds until its handler is over: noted by its limiters, read by the wrapper of its handler. */
interface Held {
  readonly works: Work[]
  /** Whether the handler has called `send`, or returned what is sent. */
  sent: boolean
  whenSent: (() => void) | undefined
}

const held = new KeptWith<FastifyReply['raw'], Held>()
/** Handlers that are already wrapped. */
const watched = new WeakSet<RouteHandlerMethod>()

/** Notes what the request holds until its handler is over. */
export function addWork(reply: FastifyReply, work: Work): void {
  work.reply = reply
  const earlier = held.get(reply.raw)
  if (earlier !== undefined) {
    earlier.works.push(work)
    return
  }
  const all = { works: [work], sent: false, whenSent: undefined }
  held.set(reply.raw, all)
}

/** Wraps the handler of a route once, to see when it is over: a client that hangs up ends the response, but not the handler. */
export function watchHandler(route: RouteOptions): void {
  const { handler } = route
  if (watched.has(handler)) return
  function handle(this: ThisParameterType<RouteHandlerMethod>, request: FastifyRequest, reply: FastifyReply) {
    const all = held.get(reply.raw)
    const answer = handler.call(this, request, reply)
    // A returned reply is not the handler's promise: for a handler with a callback only the response says when it is over.
    if (all !== undefined && isPromise(answer)) void watch(all, answer, reply)
    return answer
  }
  watched.add(handle)
  route.handler = handle
  route.onSend = [noteAnswer, route.onSend ?? []].flat()
  // An error may come before the handler is called, and the application's own onSend hooks may throw before that of the route.
  route.onError = [noteAnswer, route.onError ?? []].flat()
}

function noteAnswer(
  _request: FastifyRequest,
  reply: FastifyReply,
  _payload: unknown,
  done: () => void,
): void {
  const all = held.get(reply.raw)
  if (all !== undefined) {
    all.sent = true
    all.whenSent?.()
    for (const work of all.works) work.sent()
  }
  done()
}

/** The class of what async functions return, also where a library has replaced `Promise`. */
const { constructor: NativePromise } = (async () => {})()

/** Any other thenable is left alone: a query of a database may run whenever its `then` is called. */
function isPromise(answer: unknown): answer is Promise<unknown> {
  return answer instanceof NativePromise || answer instanceof Promise
}

async function watch(all: Held, answer: Promise<unknown>, reply: FastifyReply): Promise<void> {
  for (const work of all.works) work.begin()
  let handled = true
  try {
    const value = await Promise.race([answer, returned(all, reply)])
    // A handler that returns its unsent reply sends it later; one that has begun an answer past it does not.
    handled = value !== undefined || reply.sent || reply.raw.headersSent
  } catch {
    // Fastify handles the error.
  }
  for (const work of all.works) work.end(handled)
}

/**
 * A handler that returns its reply is over, though its promise waits until the client has read the answer. On HTTP/2 that promise never
 * settles once the client has gone: there the call to `send` ends the handler, before or after that.
 */
function returned(all: Held, reply: FastifyReply): Promise<undefined> {
  const { then } = reply
  return new Promise((resolve) => {
    if (reply.request.raw.httpVersionMajor >= 2) {
      whenClosed(reply.raw, () => {
        all.whenSent = () => resolve(undefined)
        if (all.sent) all.whenSent()
      })
    }
    // A constant first: V8 allocates a function that is assigned as it is made among the old objects, where it would keep its request.
    const awaited: typeof then = (fulfilled, rejected) => {
      resolve(undefined)
      then.call(reply, fulfilled, rejected)
    }
    // biome-ignore lint/suspicious/noThenProperty: a reply is awaited in the place of its handler, and this is how that shows
    reply.then = awaited
  })
}
