import {
  type Answer,
  isClosed,
  isTakenOver,
  isUnsent,
  KeptWith,
  type Reply,
  whenClosed,
  whenHandlerEnds,
} from '@sluice/http/internal'
import { type Holder, type Outcome, outcomeOf, type Place } from './place.ts'
import type { Shedding } from './shedding.ts'

/** A response while its handler is at work: Node's own, of HTTP/1 or HTTP/2. */
export interface Response extends Omit<Answer, 'on'> {
  on(event: 'drain' | 'pipe' | 'prefinish' | 'unpipe', listener: (this: Response) => void): unknown
}

/** What `hold` needs besides the response. */
interface Admitted {
  readonly shedding: Shedding
  readonly place: Place
  /** The framework's own reply. */
  readonly reply: Reply | undefined
}

/** A request that holds a place of one shedding, and its earlier passages through others. */
interface Passage {
  readonly shedding: Shedding
  readonly place: Place
  readonly earlier: Passage | undefined
}

/** All passages of one request. */
class Passages implements Holder {
  last: Passage
  /** Whether the handler is over, so that an end of the response, too, is the end of the work. */
  handled = false
  /** Whether the handler has said that it has taken the response over. */
  taken = false
  readonly #response: Response
  readonly #reply: Reply | undefined

  constructor(first: Passage, response: Response, reply: Reply | undefined) {
    this.last = first
    this.#response = response
    this.#reply = reply
  }

  /** Whether other code has taken the response over, such as a WebSocket. */
  get isStream(): boolean {
    return this.taken || this.#isPastReply || isTakenOver(this.#response, this.#reply)
  }

  /** Whether headers were sent past the reply: what a reply sends is announced by its framework before (`handled`). */
  get #isPastReply(): boolean {
    const { headersSent, writableEnded } = this.#response
    return this.#reply !== undefined && !this.handled && headersSent && !writableEnded
  }
}

const all = new KeptWith<Response, Passages>()

/** Whether a response's request holds a place already: a router that is mounted twice runs its middleware twice. */
export function holds(response: Response, shedding: Shedding): boolean {
  for (let each = all.get(response)?.last; each !== undefined; each = each.earlier)
    if (each.shedding === shedding) return true
  return false
}

/**
 * Gives a place back once the handler has ended its answer: how slowly the client reads it is no work of this process. A client that
 * hangs up ends the response, but not the handler.
 */
export function hold(response: Response, { shedding, place, reply }: Admitted): void {
  const known = all.get(response)
  const passages = known ?? new Passages({ shedding, place, earlier: undefined }, response, reply)
  place.holder = passages
  if (known !== undefined) {
    known.last = { shedding, place, earlier: known.last }
    if (isClosed(response)) closed(response)
    return
  }
  all.set(response, passages)
  response.on('prefinish', answered)
  whenClosed(response, () => closed(response))
}

/** Notes that the handler is over, for adapters whose framework says so. `taken`: it has left the response to other code. */
export function handled(response: Response, taken = false): void {
  const passages = all.get(response)
  if (passages === undefined) return
  passages.handled = true
  passages.taken = taken
  if (isClosed(response)) end(passages, taken ? 'ignored' : 'abandoned')
}

/** Called when the handler has ended its answer, also one that has no client any more. */
function answered(this: Response): void {
  const passages = all.get(this)
  if (passages === undefined) return
  if (isTakenOver(this)) end(passages, 'ignored')
  else end(passages, isClosed(this) ? 'abandoned' : outcomeOf(this.statusCode))
}

function closed(response: Response): void {
  const passages = all.get(response)
  if (passages === undefined) return
  // HTTP/2 has no `prefinish`. An answer that was never sent has waited for another response.
  if (response.writableEnded) end(passages, isUnsent(response) ? 'ignored' : outcomeOf(response.statusCode))
  else if (passages.isStream) end(passages, 'ignored')
  else if (passages.handled) end(passages, 'abandoned')
  else {
    // If a stream was piped into the response, nothing else wrote it: once it is unpiped, the work is over.
    response.on('unpipe', abandoned)
    // A stream that is piped only now is never asked for more, and never unpiped.
    response.on('pipe', abandoned)
    // An answer that has begun while it waits for a socket ends without an event, and on HTTP/2 every answer does.
    whenHandlerEnds(response, () => abandoned.call(response))
  }
}

function abandoned(this: Response): void {
  const passages = all.get(this)
  if (passages !== undefined) end(passages, 'abandoned')
}

function end({ last }: Passages, outcome: Outcome): void {
  for (let each: Passage | undefined = last; each !== undefined; each = each.earlier)
    each.place.release(outcome)
}
