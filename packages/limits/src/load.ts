import { readFile } from 'node:fs/promises'
import type { Decider, Decision, Duration, Inspection, Limiter, LimiterSettings } from '@sluice/core'
import {
  checkNames,
  functionOrNothing,
  oneOf,
  optionError,
  readCommonSettings,
  settingNames,
  trueOrFalse,
} from '@sluice/core/internal'
import type { Explained } from './explain.ts'
import type { Unmatched } from './path-questions.ts'
import { limitsError } from './problem.ts'
import { readLimitsData, readLimitsText } from './read.ts'
import { type Reader, type ReloadEvent, reloader } from './reload.ts'
import type { Tree } from './tree.ts'
import { type LimitsSummary, TreeLimiter } from './tree-limiter.ts'
import { watchFile } from './watch.ts'
import { printable } from './words.ts'

/** A tree of limits: a limiter whose key is the path, for `rateLimit({ limiter: limits, key: (req) => ['user', id, action] })`. */
export interface Limits extends Decider<readonly string[], string>, Pick<Limiter, 'ready' | 'health'> {
  peek(path: readonly string[]): Promise<Decision>
  /** What each level that the path meets shows of its key. */
  inspect(path: readonly string[]): Promise<{ readonly [level: string]: Inspection }>
  /** Refuses the last level of the path for a time, a year at most. */
  block(path: readonly string[], time: Duration): Promise<void>
  unblock(path: readonly string[]): Promise<void>
  /** Forgets the count of the last level of the path, and any block. */
  reset(path: readonly string[]): Promise<void>
  /** The same as `check`. */
  authorize(path: readonly string[], options?: { cost?: number | undefined }): Promise<Decision>
  /** Checks `user/NAME/ACTION`: undefined when allowed, the five numbers and those of each level when limited. */
  authorizeActionForUser(user: string, action: string): Promise<LimitsSummary | undefined>
  /** Which limits apply to a path, in the order in which it meets them. */
  explain(path: readonly string[]): readonly Explained[]
  /**
   * Names of limits that no path has met since they hold, in the order of the file: what stays here once all kinds of requests have
   * come is misspelt, or needed no more. Of this process alone, and without places that are `unlimited` or `deny`.
   */
  unmet(): readonly string[]
  /** Other limits from now on, as plain data in the shape of the file; counts go on. Throws a LimitsError: the old limits stay. */
  replace(tree: unknown): void
  close(): Promise<void>
}

/** Exactly one of file, text, tree; and the settings of any limiter, with `charge` 'every-level' and `tag` 2 where nothing else is said. */
export type LoadLimitsOptions = LimiterSettings &
  (
    | {
        file: string
        /** Reads the file again when it changes; a broken one changes nothing. @default true */
        watch?: boolean | undefined
      }
    | { text: string }
    | { tree: unknown }
  ) & {
    /**
     * What becomes of a path that meets no limit: 'allow' lets it pass, 'deny' refuses it as `deny` of the file does, and 'error' makes
     * `check` reject with a TypeError. Of names that no path begins with in the file 'allow' warns (`SLUICE_LIMITS_UNMATCHED`).
     * @default 'allow'
     */
    unmatched?: Unmatched | undefined
    /** After the file has changed: whether its limits hold now, or what is wrong with them. */
    onReload?: ((event: ReloadEvent) => void) | undefined
  }

/** Options whatever the source. */
interface AnyOptions extends LimiterSettings {
  file?: unknown
  text?: unknown
  tree?: unknown
  watch?: boolean | undefined
  unmatched?: Unmatched | undefined
  onReload?: ((event: ReloadEvent) => void) | undefined
}

const sources = ['file', 'text', 'tree'] as const

/**
 * A limiter out of a file of limits.
 *
 * @example
 * const limits = await loadLimits({ file: 'limits.yaml', store: redisStore('redis://localhost') })
 * const decision = await limits.check(['user', 'alex', 'trade'])
 * @throws LimitsError with all that is wrong with the file, each problem with line, column and path
 */
export async function loadLimits(options: LoadLimitsOptions): Promise<Limits> {
  const asked: AnyOptions = options
  checkNames(asked, '', [...sources, 'watch', 'unmatched', 'onReload', ...settingNames])
  functionOrNothing(asked.onReload, 'onReload')
  const { unmatched: choice = 'allow', watch: wanted = true } = asked
  const unmatched = oneOf(choice, 'unmatched', ['allow', 'deny', 'error'])
  const watched = trueOrFalse(wanted, 'watch')
  const settings = readCommonSettings(asked, undefined)
  const read = readerOf(asked)
  if (typeof asked.file !== 'string' || !watched)
    return new TreeLimiter(await read(), { settings, unmatched })
  // Watched from before it is read: no change goes unseen.
  let changed = () => {}
  const watch = watchFile(asked.file, () => changed())
  try {
    const limiter = new TreeLimiter(await read(), { settings, unmatched })
    limiter.whenClosed(() => watch.close())
    changed = reloader(limiter, read, (event) => tell(event, { ...asked, logger: settings.logger }))
    return limiter
  } catch (error) {
    watch.close()
    throw error
  }
}

function readerOf(options: AnyOptions): Reader {
  const given = sources.filter((name) => options[name] !== undefined)
  const [source] = given
  if (source === undefined || given.length > 1)
    throw optionError('file', 'exactly one of file, text and tree', given)
  if (source === 'tree') return async () => readLimitsData(options.tree)
  const text = options[source]
  if (typeof text !== 'string') throw optionError(source, 'a text', text)
  return source === 'text' ? async () => readLimitsText(text) : () => readLimitsFile(text)
}

/** @throws LimitsError, also where the file cannot be read. */
async function readLimitsFile(file: string): Promise<Tree> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const got = error.code ?? printable(error.message)
    throw limitsError([{ file, line: 0, column: 0, path: '', expected: 'a file that can be read', got }])
  })
  return readLimitsText(text, file)
}

function tell(event: ReloadEvent, { onReload, logger }: AnyOptions): void {
  try {
    if (!event.ok)
      logger?.error(`[sluice] the limits stay as they were: ${limitsError(event.problems).message}`)
    onReload?.(event)
  } catch {
    // A listener's own fault is not the limiter's.
  }
}
