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
    let finished = false
    raw.once('finish', () => {
      finished = true
    })
    raw.once('close', () => this.#end({ status: raw.statusCode, aborted: !finished }))
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
