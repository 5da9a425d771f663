import type { CallHandler, ExecutionContext, HttpServer, NestInterceptor } from '@nestjs/common'
import { type Answer, KeptWith, type Work } from '@sluice/http/internal'
import { finalize, Observable, type Subscription, tap } from 'rxjs'
import { begin, statusOf } from './calls.ts'
import { type AnyReply, answerOf, isReply } from './http.ts'

/** The leases of a request, from its guards to its handler. */
const works = new KeptWith<Answer, Work[]>()

export function addWork(response: AnyReply, work: Work): void {
  if (isReply(response)) work.reply = response
  const answer = answerOf(response)
  const earlier = works.get(answer)
  if (earlier === undefined) works.set(answer, [work])
  else earlier.push(work)
}

/**
 * Sees when a handler is over, for `concurrency` and `settle`: a client that hangs up ends the response, but not the handler. The
 * module applies it to all handlers but those of gateways, where Nest knows no interceptors for all.
 *
 * @example
 * @UseGuards(RateLimitGuard)
 * @UseInterceptors(RateLimitInterceptor)
 * @WebSocketGateway()
 * class ZooGateway {}
 */
export class RateLimitInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return watchedCall(begin(context.getArgs()), next)
    const all = works.get(answerOf(context.getArgByIndex(1)))
    if (all === undefined) return next.handle()
    const handled = watched(all, next, context.getArgByIndex(1))
    return answersPromise(context) ? toItsEnd(handled) : handled
  }
}

function watched(all: readonly Work[], next: CallHandler, response: AnyReply): Observable<unknown> {
  for (const work of all) work.begin()
  // A handler that takes the response itself may return before it answers.
  let returned = true
  return next.handle().pipe(
    tap((value) => {
      returned = value !== undefined || answerOf(response).writableEnded
    }),
    finalize(() => {
      for (const work of all) work.end(returned)
    }),
  )
}

/** Whether a handler is `async`, or a method whose type says that it returns a promise: Nest hides what it has returned. */
function answersPromise(context: ExecutionContext): boolean {
  const handler = context.getHandler()
  if (Object.prototype.toString.call(handler) === '[object AsyncFunction]') return true
  // Of reflect-metadata, which Nest loads; what TypeScript writes there with emitDecoratorMetadata.
  const read: unknown = Reflect.get(Reflect, 'getMetadata')
  if (typeof read !== 'function') return false
  return read('design:returntype', context.getClass().prototype, handler.name) === Promise
}

/** Unsubscribing, as `timeout()` of an interceptor does, stops no promise: it is watched until it is done. */
function toItsEnd(handled: Observable<unknown>): Observable<unknown> {
  return new Observable((client) => {
    handled.subscribe({
      next: (value) => client.next(value),
      error: (thrown) => client.error(thrown),
      complete: () => client.complete(),
    })
  })
}

/** For how long a message whose client has gone is waited for: a lease, unless another one was set. */
const longestMs = 30_000

/**
 * A client of a gateway that goes unsubscribes from what its message answers. That stops an Observable, but no promise, and which of the
 * two a handler has returned shows only once it has answered.
 */
function watchedCall(end: ReturnType<typeof begin>, next: CallHandler): Observable<unknown> {
  if (end === undefined) return next.handle()
  return new Observable((client) => {
    let status = 200
    let answered = false
    let handled: Subscription | undefined
    const work = next.handle().pipe(finalize(() => end(status)))
    const answers = work.subscribe({
      next(value) {
        answered = true
        if (client.closed) handled?.unsubscribe()
        else client.next(value)
      },
      error(thrown) {
        status = statusOf(thrown)
        client.error(thrown)
      },
      complete: () => client.complete(),
    })
    handled = answers
    return () => {
      if (answered) answers.unsubscribe()
      if (answers.closed) return
      const timer = setTimeout(() => answers.unsubscribe(), longestMs)
      timer.unref()
      answers.add(() => clearTimeout(timer))
    }
  })
}

/** Notes each call to send on Fastify: once its client has gone, a reply may never be ended, such as on HTTP/2 or by a Web stream. */
export function watchAnswers(server: HttpServer | undefined): void {
  if (server?.getType() === 'fastify') server.getInstance().addHook('onSend', noteAnswer)
}

function noteAnswer(_request: unknown, reply: AnyReply, _payload: unknown, done: () => void): void {
  for (const work of works.get(answerOf(reply)) ?? []) work.sent()
  done()
}
