import { type Decision, memoryStore, type Summary, type Verdict } from '@sluice/core'
import {
  decisions,
  describe,
  limiters,
  observing,
  optionError,
  partsOf as partsOfPolicy,
} from '@sluice/core/internal'
import { type Explained, explain } from './explain.ts'
import { type PathOptions, PathQuestions, type Unmatched } from './path-questions.ts'
import { limitsError } from './problem.ts'
import { readLimitsData } from './read.ts'
import { type AskedPath, type Path, Together } from './together.ts'
import { type Branch, metIn, patternName, type Tree } from './tree.ts'

/** Why an action was refused, level by level. */
export interface LimitsSummary {
  readonly summary: Summary
  /** `path`: the key, `user/alex`; `policy`: the level's name, `user/*`. */
  readonly levels: readonly { readonly path: string; readonly policy: string; readonly row: Summary }[]
}

/** The decision about several paths, and the part of each. */
export interface TogetherDecision {
  /** The decision about all paths: refused where one limit refuses. It settles, refunds and releases all. */
  readonly decision: Decision
  /** In the order of the paths. */
  readonly parts: readonly PathPart[]
}

/** One path of a decision about several. */
export interface PathPart {
  /** Whether its own limits allow it. */
  readonly allowed: boolean
  /** The verdict of each limit on it, in order; none if it meets no limit, or if nothing was counted. */
  readonly levels: readonly LevelVerdict[]
  /** The place where it ends, and what that says of it. */
  readonly end: PathEnd
}

/** `place`: the pattern of the place, `shop/user/*`; undefined where a path has met nothing. */
export interface PathEnd {
  readonly place: string | undefined
  /** Its `name` in the file. */
  readonly name: string | undefined
  readonly says: 'limits' | 'unlimited' | 'deny' | 'replaced' | 'nothing'
}

/** The verdict of one limit on a path; `windowMs` is null if the limit has no window. */
export type LevelVerdict = Verdict & { readonly windowMs: number | null }

/** A setting for a limit that is not there. */
export interface UnknownLevel {
  readonly path: string
  readonly expected: string
  readonly name: string
}

/** A limiter whose key is a path through a tree of limits. */
export class TreeLimiter extends limiters.QuestionLimiter<Path | Together, PathOptions> {
  /** Marks that a middleware's key function returns a path. */
  readonly asksPaths = true
  readonly #questions: PathQuestions
  readonly #problemOf: (tree: Tree) => UnknownLevel | undefined
  #closing: (() => void) | undefined

  /** `problemOf`: what keeps a tree from taking the place of this one. */
  constructor(
    tree: Tree,
    about: {
      settings: limiters.CommonSettings
      unmatched: Unmatched
      problemOf: (tree: Tree) => UnknownLevel | undefined
    },
  ) {
    const store = about.settings.store ?? memoryStore()
    const questions = new PathQuestions(tree, about)
    super(about.settings, { store, value: 'a tree of limits', questions })
    this.#questions = questions
    this.#problemOf = about.problemOf
    questions.whenUnmatched((message) => this.#warnUnmatched(message, about.settings))
    this.#prepare(tree)
  }

  authorize(path: Path, options?: PathOptions): Promise<Decision> {
    return this.check(path, options)
  }

  async checkTogether(asked: readonly AskedPath[]): Promise<TogetherDecision> {
    if (!Array.isArray(asked) || asked.length === 0)
      throw optionError('asked', 'a list of paths such as [{ path: ["user", "alex"] }]', asked)
    const together = new Together(asked)
    const decision = await this.check(together)
    const parts = partsOf(decision, together)
    if (!decision.allowed || together.quotas.size === 0) return { decision, parts }
    const refused = await this.#refusedByAll(together, parts)
    if (refused === undefined) return { decision, parts }
    await decision.release()
    return { decision: refused, parts }
  }

  /** The refusal of the first quota, if all quotas are used up. */
  async #refusedByAll(
    { asked, quotas }: Together,
    parts: readonly PathPart[],
  ): Promise<Decision | undefined> {
    const [first] = quotas
    const one = first === undefined ? undefined : asked[first]
    if (one === undefined || parts.some(({ allowed }, i) => allowed && quotas.has(i))) return undefined
    const looked = await this.peek(one.path, { cost: one.cost })
    return looked.allowed ? undefined : looked
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

  /** @throws LimitsError if a setting names a limit that the tree lacks: the next start would fail */
  use(tree: Tree): void {
    const problem = this.#problemOf(tree)
    if (problem !== undefined) {
      const { name, ...what } = problem
      throw limitsError([{ file: undefined, line: 0, column: 0, ...what, got: describe(name) }])
    }
    this.#questions.replace(tree)
    this.#prepare(tree)
  }

  /** Prepares the store for all lists of limits that a path can meet. */
  #prepare(tree: Tree): void {
    for (const met of metIn(tree)) {
      this.store.prepare?.(
        met.map(({ policy }) => policy),
        { constant: false },
      )
    }
  }

  /** Warns once per name, while a limiter's own warnings come once per code. */
  #warnUnmatched(message: string, { observers, logger }: limiters.CommonSettings): void {
    const warning = { code: 'SLUICE_LIMITS_UNMATCHED', message }
    if (this.health().warnings.includes(warning.code))
      new observing.Reports(observers, logger).warned(warning)
    else this.warned(warning)
  }

  /** Sets what else to end when the limiter is closed. */
  whenClosed(end: () => void): void {
    this.#closing = end
  }

  override async close(): Promise<void> {
    this.#closing?.()
    await super.close()
  }
}

const nowhere: PathEnd = { place: undefined, name: undefined, says: 'nothing' }

function levelsOf(decision: Decision): LimitsSummary['levels'] {
  return decisions.verdictsBehind(decision).map(({ key, policy, check, row }) => {
    const path = (key as Path).map(patternName).join('/') // the subject is a path
    return { path, policy, row: decisions.summaryOf(row, partsOfPolicy(check.policy).scale) }
  })
}

function partsOf(decision: Decision, { asked, ends, quotas, checks }: Together): readonly PathPart[] {
  const verdicts = new Map(decisions.verdictsBehind(decision).map((verdict) => [verdict.check, verdict]))
  return asked.map(({ path }, i) => {
    const own = checks[i] ?? []
    const end = endOf(ends[i])
    const denied = quotas.has(i) && end.says === 'deny'
    if (verdicts.size === 0)
      return { allowed: !denied && (decision.allowed || !isAbout(decision, path, own)), levels: [], end }
    const levels = own.flatMap((check) => verdicts.get(check) ?? [])
    const allowed = !denied && levels.every((level) => level.allowed || level.check.lane.shadow)
    return { allowed, levels: levels as readonly unknown[] as readonly LevelVerdict[], end } // they have its fields
  })
}

function endOf(branch: Branch | undefined): PathEnd {
  if (branch === undefined) return nowhere
  const { pattern: place, name } = branch
  return { place, name, says: saidBy(branch) }
}

function saidBy({ denied, met, lifted }: Branch): PathEnd['says'] {
  if (denied !== undefined) return 'deny'
  if (met.length > 0) return 'limits'
  return lifted === undefined ? 'replaced' : 'unlimited'
}

/** Whether a refusal without a count, by `deny` or by a list, is about this path. */
function isAbout({ key }: Decision, path: Path, own: readonly limiters.LaneCheck[]): boolean {
  return key === path || own.some(({ asked }) => asked === key)
}
