import { type Decision, memoryStore, type Summary } from '@sluice/core'
import {
  type CommonSettings,
  QuestionLimiter,
  Reports,
  summaryOf,
  verdictsBehind,
} from '@sluice/core/internal'
import { type Explained, explain } from './explain.ts'
import { type Path, type PathOptions, PathQuestions, type Unmatched } from './path-questions.ts'
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
  /** A middleware's key function answers a path. */
  readonly asksPaths = true
  readonly #questions: PathQuestions
  #closing: (() => void) | undefined

  constructor(tree: Tree, about: { settings: CommonSettings; unmatched: Unmatched }) {
    const store = about.settings.store ?? memoryStore()
    const questions = new PathQuestions(tree, about)
    super(about.settings, { store, value: 'a tree of limits', questions })
    this.#questions = questions
    questions.whenUnmatched((message) => this.#warnUnmatched(message, about.settings))
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

  unmet(): readonly string[] {
    return this.#questions.unmet
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

  /** Once for each name, where a limiter's own warnings come once for each code. */
  #warnUnmatched(message: string, { observers, logger }: CommonSettings): void {
    const code = 'SLUICE_LIMITS_UNMATCHED'
    if (this.health().warnings.includes(code)) new Reports(observers, logger).warned({ code, message })
    else this.warned(code, message)
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
  return verdictsBehind(decision).map(({ key, policy, row }) => {
    const path = (key as Path).map(patternName).join('/') // a path is what was asked
    return { path, policy, row: summaryOf(row) }
  })
}
