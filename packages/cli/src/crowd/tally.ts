import type { Answer } from './endpoint-client.ts'
import { fairness } from './fairness.ts'
import { type Between, mostWithin } from './most-within.ts'
import { windowMs } from './window.ts'

/** The numbers of a test. */
export interface Figures {
  /** Requests sent, whatever the answer. */
  readonly offered: number
  readonly admitted: number
  readonly refused: number
  /** No answer, or an answer that is neither an admission nor a refusal. */
  readonly failed: number
  /** The count of each reason for these. */
  readonly reasons: Readonly<Record<string, number>>
  /** The most admitted in any second. */
  readonly peakPerSecond: number
  /** The most admitted in any 10 s. */
  readonly mostInWindow: number
  /** The number of distinct clients. */
  readonly clients: number
  /** Jain's index over the admissions of each client; null if there were none. */
  readonly fairness: number | null
}

/** Counts the answers of one test. */
export class Tally {
  offered = 0
  refused = 0
  failed = 0
  /** Requests in a row without an answer. */
  silent = 0
  /** When the test began, by the server's clock; known from the first admission on. */
  beginMs = 0
  readonly #decided: Between[] = []
  readonly #admittedOf = new Map<string, number>()
  readonly #reasons = new Map<string, number>()

  get admitted(): number {
    return this.#decided.length
  }

  /** When each admission was decided, by the server's clock. */
  get decided(): readonly Between[] {
    return this.#decided
  }

  /** `heardMs`: time of the answer since the test began. */
  add(visitor: string, answer: Answer, heardMs: number): void {
    this.offered++
    this.silent = answer.kind === 'none' ? this.silent + 1 : 0
    const before = this.#admittedOf.get(visitor) ?? 0
    this.#admittedOf.set(visitor, before)
    switch (answer.kind) {
      case 'admitted':
        if (this.admitted === 0) this.beginMs = answer.answeredUs / 1000 - heardMs
        this.#decided.push({ fromMs: answer.askedUs / 1000, toMs: answer.answeredUs / 1000 })
        this.#admittedOf.set(visitor, before + 1)
        break
      case 'refused':
        this.refused++
        break
      case 'odd':
      case 'none':
        this.failed++
        this.#reasons.set(answer.why, (this.#reasons.get(answer.why) ?? 0) + 1)
        break
    }
  }

  figures(): Figures {
    return {
      offered: this.offered,
      admitted: this.admitted,
      refused: this.refused,
      failed: this.failed,
      reasons: Object.fromEntries(this.#reasons),
      peakPerSecond: mostWithin(this.#decided, 1000),
      mostInWindow: mostWithin(this.#decided, windowMs),
      clients: this.#admittedOf.size,
      fairness: fairness(this.#admittedOf.values()),
    }
  }
}
