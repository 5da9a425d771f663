/** So many in turn are no accident. */
const most = 10
/** How many were asked in the turn in which they were made, since one of them was asked again. */
let inTurn = 0

/** Suspects that a limit is made anew for each request, and so never counts two. */
export class MadePerRequest {
  readonly #warn: (code: string, message: string) => void
  readonly #clear: () => void
  #isSuspect = false

  /** `clear` is called once it is no suspect: by then it has not been asked, or it is kept. */
  constructor(warn: (code: string, message: string) => void, clear: () => void) {
    this.#warn = warn
    this.#clear = clear
    // Not by queueMicrotask, which fake timers of a test hold up.
    void Promise.resolve().then(() => {
      if (!this.#isSuspect) clear()
    })
  }

  asked(): void {
    if (this.#isSuspect) {
      // As a tenant's, made when the tenant first came.
      inTurn = 0
      this.#clear()
      return
    }
    this.#isSuspect = true
    if (++inTurn === most) this.#warn('SLUICE_MADE_PER_REQUEST', message)
  }
}

const message =
  'the latest ten limits were each made while a request was handled, and asked for it alone: one that is made anew begins to count anew. Make it once, where the application is set up'
