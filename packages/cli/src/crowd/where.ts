import { UsageError } from '../exit-code.ts'
import { type FrameworkName, frameworkNames } from './zoo/frameworks.ts'

/** Where the crowd goes. */
export type Where =
  /** To a zoo that runs already. */
  | { readonly kind: 'zoo'; readonly url: URL }
  /** To one of the command's own. */
  | { readonly kind: 'own'; readonly own: OwnPlace }

export interface OwnPlace {
  /** Plain Node without. */
  readonly framework: FrameworkName | undefined
  /** Counts in memory without. */
  readonly redis: string | undefined
  /** Goes on after the crowd until it is stopped. */
  readonly stay: boolean
}

export interface WhereFlags {
  readonly url?: string | undefined
  readonly framework?: string | undefined
  readonly redis?: string | undefined
  readonly stay?: true | undefined
}

/** Throws a UsageError. */
export function readWhere({ url, framework, redis, stay }: WhereFlags): Where {
  const own = { framework, redis, stay }
  if (url === undefined) return { kind: 'own', own: readOwn(own) }
  for (const [flag, value] of Object.entries(own)) {
    if (value === undefined) continue
    throw new UsageError(
      `--${flag}: expected no such option beside --url, as it is about the command's own zoo`,
    )
  }
  return { kind: 'zoo', url: readUrl(url) }
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' || url.search !== '' || url.username !== '')
    throw new UsageError(`--url: expected a URL such as http://127.0.0.1:3000, got ${JSON.stringify(text)}`)
  // What is asked stands below it.
  url.pathname = url.pathname.replace(/(?<!\/)\/*$/, '/')
  return url
}

function readOwn({ framework, redis, stay }: Omit<WhereFlags, 'url'>): OwnPlace {
  const known = frameworkNames.find((name) => name === framework)
  if (known !== framework)
    throw new UsageError(
      `--framework: expected one of ${frameworkNames.join(', ')}, got ${JSON.stringify(framework)}`,
    )
  return { framework: known, redis: redis === undefined ? undefined : readRedis(redis), stay: stay === true }
}

/** It may hold a password, so it is not shown. */
function readRedis(text: string): string {
  if (URL.canParse(text) && /^rediss?:\/\/[^/]/.test(text)) return text
  throw new UsageError('--redis: expected a URL such as redis://localhost:6379')
}
