import { type Measure, measureFinish, unmeasured } from './drain.ts'
import type { Outcome } from './jobs.ts'
import { Entries, type Entry } from './memory-entries.ts'
import { Results } from './memory-results.ts'
import { type Ended, endedOf } from './texts.ts'

/** An entry that failed for good, with its last attempt and its error. */
export interface DeadLetter<Job> {
  readonly ticket: string
  readonly job: Job
  readonly attempt: number
  readonly error: string
}

/** How work that is not retried ended. */
export type Ending<Result> = Exclude<Outcome<Result>, { readonly state: 'again' }>

interface Bounds {
  readonly limit: number
  readonly deadLetters: number
  readonly maxJobBytes: number
  readonly keepResultsMs: number
}

const mostResults = 10_000

/** The state of an embedded queue. */
export class State<Job, Result> {
  readonly entries: Entries
  readonly results: Results
  readonly dead: DeadLetter<Job>[] = []
  measure: Measure = unmeasured
  doneCount = 0
  deadCount = 0
  readonly #bounds: Bounds

  constructor(bounds: Bounds) {
    this.#bounds = bounds
    this.entries = new Entries(bounds.limit)
    this.results = new Results(mostResults, bounds.keepResultsMs * 1000)
  }

  add(ticket: string, job: string, nowUs: number): Entry {
    if (this.entries.length === 0) this.measure = { ...this.measure, sinceUs: nowUs }
    return this.entries.add(ticket, job, nowUs)
  }

  end(entry: Entry, outcome: Ending<Result>, nowUs: number): Ended<Result> {
    const { ended, text } = endedOf(outcome, this.#bounds.maxJobBytes)
    this.entries.end(entry)
    this.results.set(entry.ticket, text, nowUs)
    if (ended.state === 'done') this.doneCount++
    else this.#bury(entry, ended)
    const { workMs } = outcome
    const workedUs = workMs === null ? this.measure.workUs : workMs * 1000
    this.measure = measureFinish(this.measure, nowUs, { workedUs, waiting: this.entries.fresh > 0 })
    return ended
  }

  #bury({ ticket, job, attempt }: Entry, { error }: Extract<Ended<Result>, { state: 'failed' }>): void {
    this.deadCount++
    this.dead.push({ ticket, job: JSON.parse(job), attempt, error })
    if (this.dead.length > this.#bounds.deadLetters) this.dead.shift()
  }
}
