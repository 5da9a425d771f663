import type { Decision } from '../decision/decision.ts'
import { isGone, type Response, whenClosed } from './ending.ts'

/** The client behind a request, as long as the request is under way. */
export interface Client {
  /** It has gone: no answer can reach it. */
  readonly gone: boolean
  /** Aborted when the client has gone before its response was ended. */
  readonly signal: AbortSignal
  /** Calls when the request is over, at once where it is already: after its end, an abort and an error alike. */
  onClose(call: () => void): void
}

/** What the limiters of one request leave on it for each other. */
export class RequestState implements Client {
  /** Of each gate that ran, by the gate; null: skipped. */
  readonly decisions: Map<object, Decision | null> = new Map()
  /** The decision that binds most so far. */
  binding: Decision | undefined
  /** Fields that a limiter has set, by lower-case name: what else stands there is the application's own. */
  readonly fields: Map<string, string> = new Map()
  /** The response, or the socket of an upgrade, once a gate has seen the request. */
  response: Response | undefined
  #aborted: AbortController | undefined

  get gone(): boolean {
    return this.response !== undefined && isGone(this.response)
  }

  get signal(): AbortSignal {
    if (this.#aborted === undefined) {
      this.#aborted = new AbortController()
      this.onClose(() => this.#closed())
    }
    return this.#aborted.signal
  }

  onClose(call: () => void): void {
    if (this.response !== undefined) whenClosed(this.response, call)
  }

  #closed(): void {
    if (this.response?.writableEnded !== true) this.#aborted?.abort()
  }
}

// By a registered symbol, so that two copies of this package see each other.
const mark = Symbol.for('sluice.request')

export function stateOf(request: object): RequestState {
  const marked: { [mark]?: RequestState } = request
  marked[mark] ??= new RequestState()
  return marked[mark]
}

/** The decision that binds most of all limiters that a request has met; undefined while none has counted it. */
export function bindingDecision(request: object): Decision | undefined {
  return stateOf(request).binding
}

/** The fields that limiters have set on a request's response: what an error handler that clears headers must bring back. */
export function writtenFields(request: object): Readonly<Record<string, string>> {
  return Object.fromEntries(stateOf(request).fields)
}
