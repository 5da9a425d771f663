import type { Decision } from '../decision/decision.ts'
import { keepLeases, lapseLeases } from '../decision/limiter-decision.ts'
import { type Answer, isClosed } from './ending.ts'

/**
 * The work behind a decision that holds places in flight: they are free when the response and the handler are over. A client that
 * hangs up ends the response, not the handler.
 *
 * An adapter whose framework knows when a handler ends says so by `begin` and `end`. Else the handler is over when it has ended its
 * response, also one that has no client any more; until then the leases are not renewed, so that they bound a handler that never ends it.
 */
export class Work {
  readonly #decision: Decision
  readonly #raw: Answer
  #closed = false
  #handled = false
  #running = 0

  constructor(decision: Decision, raw: Answer) {
    this.#decision = decision
    this.#raw = raw
    if (isClosed(raw)) this.#close()
    else raw.once('close', () => this.#close())
  }

  /** A handler runs, and `end` will follow. */
  begin(): void {
    this.#running++
    if (this.#closed) keepLeases(this.#decision)
  }

  /** false: it has returned before it has answered, so that only the response can say when it is over. */
  end(handled = true): void {
    this.#running--
    if (handled) this.#handled = true
    this.#look()
  }

  #close(): void {
    this.#closed = true
    const ended = () => {
      this.#handled = true
      this.#look()
    }
    if (this.#raw.writableEnded) this.#handled = true
    else {
      // What is ended without a client emits no `finish`.
      this.#raw.once('prefinish', ended)
      // A stream that was piped into the response wrote it alone.
      this.#raw.once('unpipe', ended)
    }
    this.#look()
  }

  #look(): void {
    if (!this.#closed || this.#running > 0) return
    if (this.#handled) void this.#decision.release()
    else lapseLeases(this.#decision)
  }
}
