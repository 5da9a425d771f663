import { type Decision, memoryStore, type Summary } from '@sluice/core'
import { answersBehind, type CommonSettings, QuestionLimiter, summaryOf } from '@sluice/core/limiter'
import { type Explained, explain } from './explain.ts'
import { type Path, type PathOptions, PathQuestions } from './path-questions.ts'
import { readLimitsData } from './read.ts'
import { metIn, patternName, type Tree } from './tree.ts'

/** Why an action was refused, level by level. */
export interface LimitsSummary {
  readonly summary: Summary
  /** `path`: whose count it is, `user/alex`; `policy`: the level's name, `user/*`. */
  readonly levels: readonly { readonly path: string; readonly policy: string; readonly row: Summary }[]
}

/** A limiter whose key is a path through a tree of limits. */
export class TreeLimiter extends QuestionLimiter<Path, PathOptions> {
  readonly #questions: PathQuestions
  #closing: (() => void) | undefined

  constructor(tree: Tree, about: { settings: CommonSettings; unmatched: 'allow' | 'error' }) {
    const store = about.settings.store ?? memoryStore()
    const questions = new PathQuestions(tree, about)
    super(about.settings, { store, value: 'a tree of limits', questions })
    this.#questions = questions
    this.#prepare(tree)
  }

  authorize(path: Path, options?: PathOptions): Promise<Decision> {
    return this.check(path, options)
  }

  async authorizeActionForUser(user: string, action: string): Promise<LimitsSummary | undefined> {
    const decision = await this.check(['user', user, action])
    return decision.allowed ? undefined : { summary: decision.summary, levels: levelsOf(decision) }
  }

  explain(path: Path): readonly Explained[] {
    return explain(this.#questions.tree, path)
  }

  /** Plain data in the shape of the file. */
  replace(tree: unknown): void {
    this.use(readLimitsData(tree))
  }

  use(tree: Tree): void {
    this.#questions.replace(tree)
    this.#prepare(tree)
  }

  /** What a path can meet is asked together. */
  #prepare(tree: Tree): void {
    for (const met of metIn(tree)) this.store.prepare?.(met.map(({ policy }) => policy))
  }

  /** What else is to end when the limiter is closed. */
  whenClosed(end: () => void): void {
    this.#closing = end
  }

  override async close(): Promise<void> {
    this.#closing?.()
    await super.close()
  }
}

function levelsOf(decision: Decision): LimitsSummary['levels'] {
  return answersBehind(decision).map(({ check, row }) => {
    const path = (check.asked as Path).map(patternName).join('/') // a path is what was asked
    return { path, policy: check.name, row: summaryOf(row) }
  })
}
