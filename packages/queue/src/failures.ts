import type { observing } from '@sluice/core/internal'
import type { Ended } from './texts.ts'

/** Reports to observers why a job has failed for good; a client with the ticket only learns that it has. */
export class Failures {
  readonly #reports: observing.Reports
  readonly #queue: string

  constructor(reports: observing.Reports, queue: string) {
    this.#reports = reports
    this.#queue = queue
  }

  /** Observers get every failure, the logger only the first. */
  ended(ticket: string, ended: Ended<unknown>): void {
    if (ended.state !== 'failed') return
    const message = `a job of the queue "${this.#queue}" has failed for good: ${ended.error} (ticket ${ticket})`
    this.#reports.warnedEach({ code: 'SLUICE_QUEUE_JOB_FAILED', message })
  }
}
