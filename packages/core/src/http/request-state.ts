import type { ServerResponse } from 'node:http'
import type { Decision } from '../decision.ts'
import { isClosed } from './ending.ts'
import { isTold } from './outcome.ts'

/** What the limiters of one request leave on it for each other. */
export class RequestState {
  /** Of each gate that ran, by the gate; null: skipped. */
  readonly decisions: Map<object, Decision | null> = new Map()
  /** The decision that binds most so far. */
  binding: Decision | undefined
  /** Fields that a limiter has set, by lower-case name: what else stands there is the application's own. */
  readonly fields: Map<string, string> = new Map()
  /** The response, once a gate has seen the request. */
  raw: ServerResponse | undefined
  #gone: AbortController | undefined

  /** Aborted when the client has gone before its response was ended. */
  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      this.#gone = new AbortController()
      const { raw } = this
      if (raw !== undefined) {
        if (isClosed(raw)) this.#closed(raw)
        else raw.once('close', () => this.#closed(raw))
      }
    }
    return this.#gone.signal
  }

  #closed(raw: ServerResponse): void {
    if (!raw.writableEnded) this.#gone?.abort()
  }
}

// By a registered symbol, so that two copies of this package see each other.
const mark = Symbol.for('sluice.request')

export function stateOf(request: object): RequestState {
  const marked: { [mark]?: RequestState } = request
  marked[mark] ??= new RequestState()
  return marked[mark]
}

/** A decision whose numbers are nobody's, or a shadow policy's, never stands before one that has some. */
function furtherRequests(decision: Decision): number {
  if (!isTold(decision)) return Number.POSITIVE_INFINITY
  return Math.floor(decision.remaining / Math.max(1, decision.cost))
}

/** true where a later decision binds more than an earlier one: a refusal, a longer wait, fewer further requests. */
export function bindsMore(later: Decision, earlier: Decision | undefined): boolean {
  if (earlier === undefined) return true
  if (later.allowed !== earlier.allowed) return !later.allowed
  if (!later.allowed) {
    return (
      (later.retryAfterMs ?? Number.POSITIVE_INFINITY) > (earlier.retryAfterMs ?? Number.POSITIVE_INFINITY)
    )
  }
  return furtherRequests(later) < furtherRequests(earlier)
}

/** The decision that binds most of all limiters that a request has met; undefined while none has counted it. */
export function bindingDecision(request: object): Decision | undefined {
  return stateOf(request).binding
}

/** The fields that limiters have set on a request's response: what an error handler that clears headers must bring back. */
export function writtenFields(request: object): Readonly<Record<string, string>> {
  return Object.fromEntries(stateOf(request).fields)
}
