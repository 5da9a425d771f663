import type {
  ActReason,
  Decider,
  Decision,
  Duration,
  Inspection,
  Limiter,
  LimiterSettings,
  Taking,
} from '@sluice/core'
import {
  booleanOption,
  checkNames,
  didYouMean,
  isRecord,
  limiters,
  observing,
  oneOf,
  optionalFunction,
  optionError,
} from '@sluice/core/internal'
import type { Explained } from './explain.ts'
import type { PathOptions, Unmatched } from './path-questions.ts'
import { limitsError } from './problem.ts'
import { readLimitsData, readLimitsText } from './read.ts'
import { type ReloadEvent, reloader } from './reload.ts'
import { dataSource, fileSource, type LimitsSource, type TreeSource } from './source.ts'
import type { AskedPath } from './together.ts'
import type { Tree } from './tree.ts'
import { type LimitsSummary, type TogetherDecision, TreeLimiter, type UnknownLevel } from './tree-limiter.ts'

/** A tree of limits: a limiter whose key is the path, for `rateLimit({ limiter: limits, key: (req) => ['user', id, action] })`. */
export interface Limits extends Decider<readonly string[], string>, Pick<Limiter, 'ready' | 'health'> {
  /** With `take: 'up-to'` as many units of the cost are taken as all limits on the path have room for. */
  readonly check: {
    (path: readonly string[], options: PathOptions & { take: 'up-to' }): Promise<Taking>
    (path: readonly string[], options?: Omit<PathOptions, 'take'>): Promise<Decision>
  }
  peek(path: readonly string[], options?: Omit<PathOptions, 'take'>): Promise<Decision>
  /** The state of the key of each level on the path. */
  inspect(path: readonly string[]): Promise<{ readonly [level: string]: Inspection }>
  /** Refuses the last level of the path for a time, at most a year. */
  block(path: readonly string[], time: Duration, about?: ActReason): Promise<void>
  unblock(path: readonly string[], about?: ActReason): Promise<void>
  /** Clears the count of the last level of the path, and any block. */
  reset(path: readonly string[], about?: ActReason): Promise<void>
  /** The same as `check`. */
  authorize(path: readonly string[], options?: { cost?: number | string | undefined }): Promise<Decision>
  /**
   * Checks several paths in one step: each is charged or, under `charge: 'all-or-nothing'`, none where one refuses. A limit that
   * several of them meet with one key is asked once, for all their units.
   *
   * @example await limits.checkTogether([{ path: ['user', 'alex'] }, { path: ['ip', '203.0.113.9'], cost: 2 }])
   */
  checkTogether(asked: readonly AskedPath[]): Promise<TogetherDecision>
  /** Checks `user/NAME/ACTION`: undefined when allowed, the five numbers and those of each level when limited. */
  authorizeActionForUser(user: string, action: string): Promise<LimitsSummary | undefined>
  /** Which limits apply to a path, in order. */
  explain(path: readonly string[]): readonly Explained[]
  /**
   * Names of limits that no path has met since they were loaded, in the order of the file: a name that is still listed after all kinds
   * of requests is misspelt or no longer needed. Only for this process, and without places that are `unlimited` or `deny`.
   */
  unmet(): readonly string[]
  /**
   * Replaces the limits with plain data in the shape of the file; counts continue. Throws a LimitsError and keeps the old limits if they
   * are not valid.
   */
  replace(tree: unknown): void
  close(): Promise<void>
}

/**
 * Exactly one of file, text, tree, from; and the settings of any limiter, with defaults 'every-level' for `charge` and 2 for `tag`, or
 * all names where the file says `match: end`.
 */
export type LoadLimitsOptions = Omit<LimiterSettings, 'ahead'> &
  (
    | {
        file: string
        /** Reads the file again when it changes; a broken one changes nothing. @default true */
        watch?: boolean | undefined
      }
    | { text: string }
    | { tree: unknown }
    | {
        /** A source of another kind, such as `envoyConfig('config/')`. */
        from: LimitsSource
        /** Reads the source again when it reports a change; problems change nothing. @default true */
        watch?: boolean | undefined
      }
  ) & {
    /**
     * What happens with a path without any limit: 'allow' lets it pass, 'deny' refuses it like `deny` in the file, and 'error' makes
     * `check` reject with a TypeError. 'allow' warns about unknown first names (`SLUICE_LIMITS_UNMATCHED`).
     * @default 'allow'
     */
    unmatched?: Unmatched | undefined
    /** Called after the file has changed: its limits apply now, or they have problems. */
    onReload?: ((event: ReloadEvent) => void) | undefined
  }

/** Options for any source. */
interface AnyOptions extends LimiterSettings {
  file?: unknown
  text?: unknown
  tree?: unknown
  from?: unknown
  watch?: boolean | undefined
  unmatched?: Unmatched | undefined
  onReload?: ((event: ReloadEvent) => void) | undefined
}

const sources = ['file', 'text', 'tree', 'from'] as const

const noneAhead =
  'to be left out, as a path is charged level by level, and units are taken ahead for all levels or for none (put a hot key on a limiter of its own)'

/**
 * Creates a limiter from a file of limits.
 *
 * @example
 * const limits = await loadLimits({ file: 'limits.yaml', store: redisStore('redis://localhost') })
 * const decision = await limits.check(['user', 'alex', 'trade'])
 * @throws LimitsError with all problems of the file, each with line, column and path
 */
export async function loadLimits(options: LoadLimitsOptions): Promise<Limits> {
  const asked: AnyOptions = options
  if (typeof asked !== 'object' || asked === null)
    throw optionError('options', "an object of options such as { file: 'limits.yaml' }", asked)
  if (asked.ahead !== undefined) throw optionError('ahead', noneAhead, asked.ahead)
  checkNames(
    asked,
    '',
    [...sources, 'watch', 'unmatched', 'onReload', ...limiters.settingNames],
    noSuchSource,
  )
  optionalFunction(asked.onReload, 'onReload')
  const { unmatched: choice = 'allow', watch: wanted = true } = asked
  const unmatched = oneOf(choice, 'unmatched', ['allow', 'deny', 'error'])
  const watched = booleanOption(wanted, 'watch')
  const settings = limiters.readCommonSettings(asked, undefined)
  const source = sourceOf(asked)
  if (source.watch === undefined && asked.watch === true)
    throw optionError('watch', 'to be left out, as nothing tells when these limits change', true)
  const problemOf = (tree: Tree) => unknownLevel(asked, tree, source.name)
  const made = (tree: Tree) => {
    const problem = problemOf(tree)
    if (problem !== undefined) throw optionError(problem.path, problem.expected, problem.name)
    return new TreeLimiter(tree, { settings, unmatched, problemOf })
  }
  if (source.watch === undefined || !watched) return made(await source.read())
  // Watched before it is read, so that no change is missed.
  let changed = () => {}
  const watch = source.watch(() => changed())
  try {
    const limiter = made(await source.read())
    limiter.whenClosed(() => watch.close())
    changed = reloader(
      limiter,
      () => source.read(),
      (event) => {
        if (event.ok) limiter.life.reloaded(source.name)
        else limiter.life.reloadFailed({ source: source.name, error: limitsError(event.problems).message })
        report(event, { ...asked, logger: settings.logger })
      },
    )
    return limiter
  } catch (error) {
    watch.close()
    throw error
  }
}

function noSuchSource(name: string, names: readonly string[]): string {
  const isFile = /^(path|filename|yaml|url)$/i.test(name)
  const hint = isFile ? " (write file: 'limits.yaml')" : didYouMean(name, names, `one of ${names.join(', ')}`)
  return `a known option${hint}`
}

/** A setting of a limit that is not in the tree: one that was meant as a shadow would refuse. */
function unknownLevel(options: AnyOptions, { levels }: Tree, source: string): UnknownLevel | undefined {
  const names = levels.map(({ name }) => name)
  const { shadow, onStoreFailure, tag, prices = {} } = options
  const priced = Object.entries(prices).map(([kind, price]) => [`prices.${kind}`, price] as const)
  for (const [path, value] of [...Object.entries({ shadow, onStoreFailure, tag }), ...priced]) {
    const unknown = isRecord(value) ? Object.keys(value).find((name) => !names.includes(name)) : undefined
    if (unknown === undefined) continue
    const hint = didYouMean(unknown, names)
    const expected = `the name of a limit in ${source}${hint}: add it there, or leave it out here`
    return { path: `${path}.${unknown}`, expected, name: unknown }
  }
  return undefined
}

function sourceOf(options: AnyOptions): TreeSource {
  const given = sources.filter((name) => options[name] !== undefined)
  const [source] = given
  if (source === undefined || given.length > 1)
    throw optionError('file', 'exactly one of file, text, tree and from', given)
  if (source === 'tree') return { name: 'tree', read: async () => readLimitsData(options.tree) }
  if (source === 'from') return dataSource(readSource(options.from))
  const text = options[source]
  if (typeof text !== 'string') throw optionError(source, 'a string', text)
  return source === 'text' ? { name: 'text', read: async () => readLimitsText(text) } : fileSource(text)
}

function readSource(from: unknown): LimitsSource {
  const { name, read, watch } = (isRecord(from) ? from : {}) as Partial<LimitsSource> // each is looked at
  if (typeof name !== 'string' || typeof read !== 'function')
    throw optionError('from', 'a source such as { name: "limits", read: async () => ({ schema: … }) }', from)
  optionalFunction(watch, 'from.watch')
  return from as LimitsSource // as was looked at
}

function report(event: ReloadEvent, { onReload, logger }: AnyOptions): void {
  try {
    if (!event.ok)
      logger?.error(`[sluice] the previous limits stay in force: ${limitsError(event.problems).message}`)
    observing.Reports.ignore(onReload?.(event))
  } catch {
    // An error of the listener must not affect the limiter.
  }
}
