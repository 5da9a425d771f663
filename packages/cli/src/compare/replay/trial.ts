import type { Decision } from '@sluice/core'
import { type Candidate, maxKeys, type Opened } from '../candidate.ts'
import type { Outcome, Variant } from '../comparison.ts'
import type { Request } from '../request.ts'
import { Counts } from './counts.ts'

/** One candidate during a replay: counts admissions and refusals. */
export class Trial {
  readonly candidate: Candidate
  readonly refusedOf: Counts = new Counts()
  readonly #opened: Opened
  #admitted = 0
  #refused = 0
  #full = false

  constructor(candidate: Candidate, opened: Opened) {
    this.candidate = candidate
    this.#opened = opened
  }

  ask(request: Request): Promise<Decision> {
    return this.#opened.ask(request)
  }

  /** `client`: the client's number, −1 if it has none. */
  note(decision: Decision, client: number): void {
    if (decision.allowed) this.#admitted++
    else {
      this.#refused++
      if (client >= 0) this.refusedOf.add(client, 1)
    }
  }

  get outcome(): Outcome {
    const all = this.#admitted + this.#refused
    return {
      admitted: this.#admitted,
      refused: this.#refused,
      refusedShare: all === 0 ? 0 : this.#refused / all,
      clientsRefused: this.refusedOf.positive,
    }
  }

  get variant(): Variant {
    return { text: this.candidate.text, rule: this.candidate.rule, ...this.outcome }
  }

  /** Called once per batch, because it is slower than a decision; a store that was full stays nearly full. */
  noteKeys(): void {
    this.#full ||= this.#opened.keys() >= maxKeys
  }

  /** Whether keys may have been dropped that still mattered. */
  get full(): boolean {
    return this.#full
  }

  close(): Promise<void> {
    return this.#opened.close()
  }
}
