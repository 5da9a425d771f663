import { type Answer, isClosed, whenClosed } from '@sluice/core/internal'
import { type Outcome, outcomeOf, type Place } from './place.ts'
import type { Shedding } from './shedding.ts'

/** A response while its handler is at work: Node's own, of HTTP/1 or HTTP/2. */
export interface Response extends Answer {
  on(event: 'drain' | 'prefinish' | 'unpipe', listener: (this: Response) => void): unknown
}

/** A request that holds a place, and the same request's passages through other sheddings. */
interface Passage {
  readonly shedding: Shedding
  readonly place: Place
  readonly earlier: Passage | undefined
}

interface Passages {
  last: Passage
  /** The handler is over, so that an end of the response, too, is the end of the work. */
  handled: boolean
}

const all = new WeakMap<Response, Passages>()

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
export function hold(response: Response, shedding: Shedding, place: Place): void {
  const passages = all.get(response)
  if (passages !== undefined) {
    passages.last = { shedding, place, earlier: passages.last }
    if (isClosed(response)) closed(response)
  } else {
    all.set(response, { last: { shedding, place, earlier: undefined }, handled: false })
    response.on('prefinish', answered)
    whenClosed(response, () => closed(response))
  }
}

/** The handler is over, as an adapter knows whose framework says so. */
export function handled(response: Response): void {
  const passages = all.get(response)
  if (passages === undefined) return
  passages.handled = true
  if (isClosed(response)) end(passages, 'abandoned')
}

/** The handler has ended its answer, also one that has no client any more. */
function answered(this: Response): void {
  const passages = all.get(this)
  if (passages !== undefined) end(passages, isClosed(this) ? 'abandoned' : outcomeOf(this.statusCode))
}

function closed(response: Response): void {
  const passages = all.get(response)
  if (passages === undefined) return
  // HTTP/2 has no `prefinish`.
  if (response.writableEnded) end(passages, outcomeOf(response.statusCode))
  else if (passages.handled) end(passages, 'abandoned')
  // A stream that was piped into the response wrote it alone.
  else response.on('unpipe', abandoned)
}

function abandoned(this: Response): void {
  const passages = all.get(this)
  if (passages !== undefined) end(passages, 'abandoned')
}

function end({ last }: Passages, outcome: Outcome): void {
  for (let each: Passage | undefined = last; each !== undefined; each = each.earlier)
    each.place.release(outcome)
}
