import type { CheckOptions, Question } from '@sluice/core'
import { checkNames, didYouMean, isRecord, limiters, optionError } from '@sluice/core/internal'
import { quotasAmong, withReplaced } from './among.ts'
import { joined, type Path, Together } from './together.ts'
import { type Branch, keyOf, type Level, type Tree, walk } from './tree.ts'
import { UnmatchedNames } from './unmatched-names.ts'

export type PathOptions = Pick<CheckOptions<string>, 'cost' | 'note' | 'since'> & {
  readonly take?: 'up-to' | undefined
}
export type Unmatched = 'allow' | 'deny' | 'error'
/** The checks of a question, or the place that denies it. */
type Asked = ReturnType<limiters.Questions<Path, PathOptions>['ask']>
type Lanes = readonly (readonly [lane: limiters.Lane, level: Level])[]

/** The first two names choose the slot, so that all levels of a user are on one server. Where only the end counts, all of them do. */
const tags = { along: 2, end: undefined } as const
const none: readonly limiters.LaneCheck[] = []

/** Turns paths into checks: one for each limit on the path in the current tree. */
export class PathQuestions implements limiters.Questions<Path | Together, PathOptions> {
  readonly #settings: limiters.CommonSettings
  readonly #unmatched: Unmatched
  readonly #names = new UnmatchedNames()
  #tree: Tree
  /** Lanes by list of limits: all paths with the same limits share one list. */
  #lanes = new Map<readonly Level[], Lanes>()

  constructor(tree: Tree, about: { settings: limiters.CommonSettings; unmatched: Unmatched }) {
    this.#settings = about.settings
    this.#unmatched = about.unmatched
    this.#tree = tree
  }

  get tree(): Tree {
    return this.#tree
  }

  /** Replaces the tree. A count continues if name, strategy and key are the same. */
  replace(tree: Tree): void {
    this.#tree = tree
    this.#lanes = new Map()
  }

  /** Names of limits in the current tree that no path has met. */
  get unmet(): readonly string[] {
    const met = new Set([...this.#lanes.keys()].flat())
    return this.#tree.levels.filter((level) => !met.has(level)).map(({ name }) => name)
  }

  /** `report` is called once per unknown first name, for a limited number of names. */
  whenUnmatched(report: (message: string) => void): void {
    this.#names.report = report
  }

  get charge(): Question['charge'] {
    return this.#settings.charge ?? this.#tree.charge ?? 'every-level'
  }

  get firstPolicy(): string {
    return this.#tree.levels[0]?.name ?? ''
  }

  ask(subject: Path | Together, options: PathOptions | undefined): Asked {
    return subject instanceof Together ? this.#askTogether(subject) : this.#askOne(subject, options)
  }

  /** A limit that several paths meet with one key is asked once, for all of their units. */
  #askTogether(together: Together): Asked {
    const all = new Map<string, limiters.LaneCheck>()
    const names: (readonly string[])[] = []
    together.ends = together.asked.map(({ path }) => this.#endOf(path))
    if (this.#tree.match === 'end') {
      together.ends = withReplaced(together.ends)
      together.quotas = quotasAmong(together.ends)
    }
    for (const [i, { path, ...options }] of together.asked.entries()) {
      const isQuota = together.quotas.has(i)
      const asked = this.#askAt(together.ends[i], path, options)
      if ('deniedBy' in asked && !isQuota) return asked
      const checks = 'deniedBy' in asked ? none : asked
      names.push(checks.map((check) => joined(all, isQuota ? { ...check, shadow: true } : check)))
    }
    together.checks = names.map((each) => each.flatMap((name) => all.get(name) ?? []))
    return [...all.values()]
  }

  #askOne(path: Path, options: PathOptions | undefined): Asked {
    return this.#askAt(this.#endOf(path), path, options)
  }

  #endOf(path: Path): Branch | undefined {
    checkPath(path)
    return walk(this.#tree, path)
  }

  #askAt(end: Branch | undefined, path: Path, options: PathOptions | undefined): Asked {
    if (options !== undefined) this.#checkOptions(options)
    if (end?.denied !== undefined) return { deniedBy: end.denied, key: path }
    if (end !== undefined) return this.#checks(end.met, path, options)
    if (this.#unmatched === 'error') throw unmatched(path)
    if (this.#unmatched === 'deny') return { deniedBy: 'unmatched', key: path }
    this.#names.met(this.#tree, path)
    return none
  }

  /** The checks of the last place on a path that has limits. */
  managed(path: Path | Together): readonly limiters.LaneCheck[] {
    if (path instanceof Together) return []
    const met = this.#endOf(path)?.met ?? []
    const last = met[met.length - 1]
    if (last === undefined) throw unmatched(path)
    return this.#checks(met, path, undefined).filter((_, i) => met[i]?.depth === last.depth)
  }

  #checks(
    met: readonly Level[],
    path: Path,
    options: PathOptions | undefined,
  ): readonly limiters.LaneCheck[] {
    const lanes = this.#lanes.get(met) ?? this.#lanesOf(met)
    const checks: limiters.LaneCheck[] = []
    for (const [lane, level] of lanes) {
      const key = keyOf(level, path)
      const cost = limiters.costFor(options?.cost, lane.name, this.#settings.prices)
      const kind = typeof options?.cost === 'string' ? options.cost : undefined
      const { note, since } = options ?? {}
      checks.push(limiters.checkOf(lane, { key, cost, note, policy: undefined, kind, since }))
    }
    limiters.mustFollow(checks, options?.since)
    return checks
  }

  #lanesOf(met: readonly Level[]): Lanes {
    const tag = tags[this.#tree.match]
    const lanes = met.map((level) => [limiters.laneOf(this.#settings, { ...level, tag }), level] as const)
    this.#lanes.set(met, lanes)
    return lanes
  }

  #checkOptions(options: PathOptions): void {
    checkNames(options, 'options', ['cost', 'note', 'since', 'take'])
    const { cost } = options
    if (typeof cost !== 'object') return
    if (!isRecord(cost)) throw optionError('cost', 'a whole number of at least 0, or one by level', cost)
    for (const name of Object.keys(cost)) this.#checkName(name)
  }

  #checkName(name: string): void {
    const names = this.#tree.levels.map((level) => level.name)
    if (names.includes(name)) return
    throw optionError(`cost.${name}`, `the name of a level${didYouMean(name, names)}`, name)
  }
}

function checkPath(path: unknown): void {
  if (!Array.isArray(path) || path.length === 0 || !path.every((name) => typeof name === 'string'))
    throw optionError('path', 'a list of names such as ["user", "alex", "trade"]', path)
}

function unmatched(path: Path): TypeError {
  return optionError('path', 'a path that meets a limit of the tree', path)
}
