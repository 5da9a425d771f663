import { inRedis, type observing } from '@sluice/core/internal'
import { messageOf } from './texts.ts'

/**
 * While Redis forbids one call it may answer all others. So a forbidden call is reported once in this time, and the queue counts as away
 * for as long after it.
 */
const forbiddenForMs = 60_000

/** Reports when a queue stops answering, and when it answers again. */
export class Outages {
  readonly #reports: observing.Reports
  readonly #store: string
  #isAway = false
  #sinceMs: number = performance.now()
  #forbiddenMs = Number.NEGATIVE_INFINITY

  /** `store`: the queue's name in events. */
  constructor(reports: observing.Reports, store: string) {
    this.#reports = reports
    this.#store = store
  }

  failed(error: unknown): void {
    const cause = error instanceof Error ? error : new Error(messageOf(error))
    const isForbidden = inRedis.isForbidden(cause)
    if (isForbidden && this.#wasForbidden()) return
    const sinceMs = this.#turn(true)
    this.#reports.event({ kind: 'failed', store: this.#store, error: cause, sinceMs })
    if (!isForbidden) return
    this.#forbiddenMs = performance.now()
    this.#reports.warned({
      code: 'SLUICE_FORBIDDEN',
      message: `Redis forbids its user what the ${this.#store} needs: see ACL LOG at the server`,
    })
  }

  answered(): void {
    if (!this.#isAway || this.#wasForbidden()) return
    const sinceMs = this.#turn(false)
    this.#reports.event({ kind: 'recovered', store: this.#store, sinceMs }, 'answers again')
  }

  #wasForbidden(): boolean {
    return performance.now() - this.#forbiddenMs < forbiddenForMs
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
