import type { ServerResponse } from 'node:http'

/** How a response ended. */
export interface Ended {
  readonly status: number
  /** The client went before the response was finished. */
  readonly aborted: boolean
}

/** Tells how a response ended, once, also when it has ended before anybody asks. `finish` does not come on an abort, `close` always does. */
export class Ending {
  #ended: Ended | undefined
  #tell: ((ended: Ended) => void) | undefined

  constructor(raw: ServerResponse) {
    if (isOver(raw)) {
      this.#ended = { status: raw.statusCode, aborted: !raw.writableEnded }
      return
    }
    let finished = false
    raw.once('finish', () => {
      finished = true
    })
    // HTTP/2 tells of a finish whenever a stream closes: there only whether the answer was ended says more.
    raw.once('close', () => this.#end({ status: raw.statusCode, aborted: !finished || !raw.writableEnded }))
  }

  whenOver(tell: (ended: Ended) => void): void {
    this.#tell = tell
    if (this.#ended !== undefined) tell(this.#ended)
  }

  #end(ended: Ended): void {
    this.#ended = ended
    this.#tell?.(ended)
  }
}

/** Calls when a response is over, at once where it is already: after its end, an abort and an error alike. */
export function whenClosed(raw: ServerResponse, call: () => void): void {
  if (isOver(raw)) call()
  else raw.once('close', call)
}

/** true where `close` has been told already: it does not come a second time. */
function isOver(raw: ServerResponse & { stream?: { readonly destroyed: boolean } }): boolean {
  return raw.destroyed || raw.stream?.destroyed === true
}
