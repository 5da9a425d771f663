import type { GateLimiter } from './subject.ts'

/** So many limits in a row are no accident. */
const most = 10
/** How many limits were asked in the turn in which they were made, since the last time that one of them was asked again. */
let inTurn = 0

/** Suspects that a limit is made anew for each request, and so never counts two. */
export class MadePerRequest {
  readonly #limiter: Pick<GateLimiter, 'warned'>
  readonly #clear: () => void
  #isSuspect = false

  /** `clear` is called once the limit is no suspect: it was not asked in the turn in which it was made, or it was asked again. */
  constructor(limiter: Pick<GateLimiter, 'warned'>, clear: () => void) {
    this.#limiter = limiter
    this.#clear = clear
    // Not by queueMicrotask, which fake timers of a test hold up.
    void Promise.resolve().then(() => {
      if (!this.#isSuspect) clear()
    })
  }

  asked(): void {
    if (this.#isSuspect) {
      // The limit is kept, such as that of a tenant, made when the tenant first came.
      inTurn = 0
      this.#clear()
      return
    }
    this.#isSuspect = true
    if (++inTurn === most) this.#limiter.warned?.({ code: 'SLUICE_MADE_PER_REQUEST', message })
  }
}

const message =
  'the latest ten limits were each made for one request, and begin to count anew: make one where the application is set up'
