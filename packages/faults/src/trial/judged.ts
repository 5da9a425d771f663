import type { Judgement } from './judge/judge.ts'
import type { Framework } from './settings.ts'

/** The judgements of a trial that was run several times: one that was made stands, whatever later runs find. */
export class Judged {
  readonly #judgements = new Map<Framework, Judgement>()

  get judgements(): ReadonlyMap<Framework, Judgement> {
    return this.#judgements
  }

  /** Whether each framework was judged. */
  get all(): boolean {
    return [...this.#judgements.values()].every(({ notJudged }) => notJudged === undefined)
  }

  add(judgements: ReadonlyMap<Framework, Judgement>): void {
    for (const [framework, judgement] of judgements) {
      const known = this.#judgements.get(framework)
      if (known === undefined || known.notJudged !== undefined) this.#judgements.set(framework, judgement)
    }
  }
}
