/** So many in turn are no accident. */
const most = 10
/** How many were made in the turn of their first request since one of them was asked again. */
let inTurn = 0

/** Notices limits that are made anew for each request, and so never count two. */
export class MadePerRequest {
  readonly #warn: (code: string, message: string) => void
  #isNew = true
  #isSuspect = false

  constructor(warn: (code: string, message: string) => void) {
    this.#warn = warn
    queueMicrotask(() => {
      this.#isNew = false
    })
  }

  asked(): void {
    if (this.#isSuspect) {
      // As a tenant's, made when the tenant first came.
      this.#isSuspect = false
      inTurn = 0
    } else if (this.#isNew) {
      this.#isSuspect = true
      if (++inTurn === most) this.#warn('SLUICE_MADE_PER_REQUEST', message)
    }
  }
}

const message =
  'the latest ten limits were each made while a request was handled, and asked for it alone: one that is made anew begins to count anew. Make it once, where the application is set up'
