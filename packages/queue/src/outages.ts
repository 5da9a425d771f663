import type { observing } from '@sluice/core/internal'
import { messageOf } from './texts.ts'

/** What Redis says to a user that may not run a command, or use a key, by itself or in a script. */
const notPermitted = /NOPERM|user executing the script|ACL failure/

/** Reports when a queue stops answering, and when it answers again. */
export class Outages {
  readonly #reports: observing.Reports
  readonly #store: string
  #isAway = false
  #sinceMs: number = performance.now()

  /** `store`: the queue's name in events. */
  constructor(reports: observing.Reports, store: string) {
    this.#reports = reports
    this.#store = store
  }

  failed(error: unknown): void {
    const sinceMs = this.#turn(true)
    const cause = error instanceof Error ? error : new Error(messageOf(error))
    this.#reports.event({ kind: 'failed', store: this.#store, error: cause, sinceMs })
    if (notPermitted.test(cause.message))
      this.#reports.warned({
        code: 'SLUICE_FORBIDDEN',
        message: `Redis forbids its user what the ${this.#store} needs: see ACL LOG at the server`,
      })
  }

  answered(): void {
    if (!this.#isAway) return
    const sinceMs = this.#turn(false)
    this.#reports.event({ kind: 'recovered', store: this.#store, sinceMs }, 'answers again')
  }

  /** Milliseconds since the state last changed. */
  #turn(isAway: boolean): number {
    const nowMs = performance.now()
    const sinceMs = Math.ceil(nowMs - this.#sinceMs)
    if (isAway !== this.#isAway) this.#sinceMs = nowMs
    this.#isAway = isAway
    return sinceMs
  }
}
