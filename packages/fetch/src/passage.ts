import { type Answer, type HeaderPort, mergeWith } from '@sluice/http/internal'
import type { OtherFields } from './facts.ts'
import { answers, type Incoming, type NodeExchange } from './node-exchange.ts'
import { type Field, withFields } from './response-fields.ts'
import { WatchedBody, watched } from './watched-body.ts'

type Listener = () => void
/** No list, as that would be a literal: decision/lane.ts of core says why. */
type Listeners = Set<Listener> | undefined
const none: readonly Listener[] = []

function withOne(listeners: Listeners, listener: Listener): Listeners {
  return (listeners ?? new Set<Listener>()).add(listener)
}

/** Statuses whose responses have no body. */
export function hasNoBody(status: number): boolean {
  return status === 101 || status === 204 || status === 205 || status === 304
}

/**
 * One request's way through its limiters and back: it collects the fields of its response, and stands for that response until its
 * body has been read to the end, was cancelled, or the client has gone. Limiters around limiters share it; the outermost ends it.
 */
export class Passage implements Answer, HeaderPort {
  headersSent = false
  writableEnded = false
  statusCode = 200
  /** The fields by their names in lower case. */
  readonly #fields = new Map<string, Field>()
  /** Says when the response is over: Node's own response if that is known, else this passage. */
  readonly answer: Answer
  /**
   * If Node's request is known but not its response, the passage counts as a response without a socket: it ends with the connection at
   * the latest.
   */
  readonly socket = null
  readonly req: Incoming | undefined
  readonly #request: Request
  readonly #earlier: OtherFields | undefined
  #depth = 0
  #closed = false
  #turn: Listeners
  #finish: Listeners
  #close: Listeners
  #listens = false
  #body: WatchedBody | undefined
  /** Counts the answers to the request: it may be answered several times, one after another, and an earlier body no longer matters then. */
  #round = 0

  constructor(request: Request, { incoming, outgoing }: NodeExchange, earlier?: OtherFields) {
    this.#request = request
    this.#earlier = earlier
    this.answer = outgoing !== undefined && answers(outgoing, request) ? outgoing : this
    this.req = incoming
  }

  /** Called with a closed socket when the connection is closed. */
  assignSocket(): void {
    this.#end(true)
  }

  getHeader(lowerName: string): string | undefined {
    return this.#fields.get(lowerName)?.[1]
  }

  setHeader(name: string, value: string, lowerName: string): void {
    this.#fields.set(lowerName, [name, value])
  }

  get fields(): Iterable<Field> {
    return this.#fields.values()
  }

  /** More than 0 while the platform asks for no piece of the body: it has one that it cannot send yet, or the body will never be read. */
  get writableLength(): number {
    return this.#body?.waits === true ? 1 : 0
  }

  /** Grows with each piece of the body that the client takes, or the platform on its behalf. */
  get taken(): number {
    return this.#body?.taken ?? 0
  }

  /** Whether the client has gone, or the response is over. */
  get destroyed(): boolean {
    return this.#closed || this.#request.signal?.aborted === true
  }

  once(event: Parameters<Answer['once']>[0], listener: Listener): void {
    if (event === 'close') this.#close = withOne(this.#close, listener)
    else if (event === 'finish') this.#finish = withOne(this.#finish, listener)
    else if (event === 'socket') this.#turn = withOne(this.#turn, listener)
    // The other events say that a handler is over, which is known here.
    else return
    if (this.#listens) return
    this.#listens = true
    this.#request.signal?.addEventListener('abort', this, { once: true })
  }

  /** Called when the request's signal is aborted. */
  handleEvent(): void {
    this.#end(true)
  }

  /** Ends the passage as if the client had gone. What was answered already cannot be answered otherwise. */
  destroy(): void {
    this.#end(true)
  }

  /** Notes that a limiter has begun. */
  enter(): void {
    if (this.#depth++ > 0 || !this.headersSent) return
    this.#end(false)
    this.#round++
    this.headersSent = false
    this.writableEnded = false
    this.#closed = false
    this.#body = undefined
  }

  /** Notes that a limiter is through. The response of the outermost gets the fields, and is watched if a listener waits for its end. */
  leave(response: Response): Response {
    if (--this.#depth > 0) return response
    if (this.#earlier !== undefined) mergeWith(this.#request, this.#earlier)
    const whole = withFields(response, this.#fields)
    // The answer to an upgrade is no more than the beginning.
    if (this.req?.upgrade === true) return whole
    this.headersSent = true
    this.statusCode = response.status
    if (this.#close === undefined || this.#closed) return whole
    const { body, bodyUsed, status } = whole
    // Nobody reads the body of an answer to HEAD.
    if (body === null || hasNoBody(status) || this.#request.method === 'HEAD' || bodyUsed || body.locked) {
      this.#end(false)
      return whole
    }
    const round = this.#round
    this.#body = new WatchedBody(body, {
      begin: () => this.#begin(),
      end: (aborted) => {
        if (round === this.#round) this.#end(aborted)
      },
    })
    return watched(whole, this.#body)
  }

  /** Notes that a limiter is through without a response of its handler's: the platform makes one with this status. */
  leaveWithout(status: number): void {
    if (--this.#depth > 0 || this.req?.upgrade === true) return
    this.headersSent = true
    this.statusCode = status
    this.#end(false)
  }

  /** Tells the listeners that its turn on the connection has come: bytes that are sent from now on may have reached the client. */
  #begin(): void {
    const turn = this.#turn
    this.#turn = undefined
    for (const listener of turn ?? none) listener()
  }

  #end(aborted: boolean): void {
    if (this.#closed) return
    this.#closed = true
    this.writableEnded = !aborted
    const finish = aborted ? undefined : this.#finish
    const close = this.#close
    this.#finish = undefined
    this.#close = undefined
    if (this.#listens) this.#request.signal?.removeEventListener('abort', this)
    this.#listens = false
    for (const listener of finish ?? none) listener()
    for (const listener of close ?? none) listener()
  }
}
