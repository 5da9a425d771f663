/** How a response ended. */
export interface Ended {
  /** 499 where the client went before any status was sent: Node's own default, 200, would read as a success. */
  readonly status: number
  /** The client went before the response was finished. */
  readonly aborted: boolean
}

/** Reports how a response ended, once, also when it ended before `whenOver` was called. `finish` does not come on an abort, `close` always does. */
export class Ending {
  #ended: Ended | undefined
  #listener: ((ended: Ended) => void) | undefined

  constructor(raw: Answer) {
    if (isClosed(raw)) {
      this.#ended = endedAs(raw, !raw.writableEnded)
      return
    }
    let finished = false
    raw.once('finish', () => {
      finished = true
    })
    // HTTP/2 emits `finish` whenever a stream closes: there only `writableEnded` tells an answer from an abort.
    raw.once('close', () => this.#end(endedAs(raw, !finished || !raw.writableEnded)))
  }

  whenOver(listener: (ended: Ended) => void): void {
    this.#listener = listener
    if (this.#ended !== undefined) listener(this.#ended)
  }

  #end(ended: Ended): void {
    this.#ended = ended
    this.#listener?.(ended)
  }
}

/** What nginx writes in its log for a client that hung up. */
export const clientClosedRequest = 499

function endedAs(raw: Answer, aborted: boolean): Ended {
  return { status: aborted && !raw.headersSent ? clientClosedRequest : raw.statusCode, aborted }
}

/** As much of a response as says when it is over: also the socket of an upgrade. */
export interface Response {
  readonly destroyed: boolean
  readonly writableEnded: boolean
  once(event: 'close', listener: () => void): unknown
  /** Of HTTP/2. */
  readonly stream?: { readonly destroyed: boolean }
  readonly socket?: { readonly destroyed: boolean } | null
}

/** As much of an answer as a gate's driver needs; Node's `ServerResponse` is one. */
export interface Answer extends Response {
  readonly headersSent: boolean
  readonly statusCode: number
  once(event: 'close' | 'finish' | 'prefinish' | 'unpipe', listener: () => void): unknown
  destroy(): unknown
}

/** Calls when a response is over, at once where it is already: after its end, an abort and an error alike. */
export function whenClosed(raw: Response, call: () => void): void {
  if (isClosed(raw)) call()
  else raw.once('close', call)
}

/** true where `close` has been emitted already: it does not come a second time. */
export function isClosed(raw: Response): boolean {
  return raw.destroyed || raw.stream?.destroyed === true
}

/** true where the client has gone: the connection may be destroyed a little before `close` is emitted. */
export function isGone(raw: Response): boolean {
  return isClosed(raw) || raw.socket?.destroyed === true
}
