import { UsageError } from '../exit-code.ts'
import { type FrameworkName, frameworkNames } from './zoo/frameworks.ts'

/** The server that the crowd is sent to. */
export type Where =
  /** A running server. */
  | { readonly kind: 'zoo'; readonly url: URL }
  /** A server that the command starts. */
  | { readonly kind: 'own'; readonly own: OwnPlace }

export interface OwnPlace {
  /** undefined: plain Node. */
  readonly framework: FrameworkName | undefined
  /** undefined: counts in memory. */
  readonly redis: string | undefined
  /** Whether the server keeps running after the crowd. */
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
      `--${flag}: expected to be left out with --url, because it configures the command's own server`,
    )
  }
  return { kind: 'zoo', url: readUrl(url) }
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' || url.search !== '' || url.username !== '')
    throw new UsageError(`--url: expected a URL such as http://127.0.0.1:3000, got ${JSON.stringify(text)}`)
  // Paths are resolved below it.
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

/** The error does not show the URL, which may contain a password. */
function readRedis(text: string): string {
  if (URL.canParse(text) && /^rediss?:\/\/[^/]/.test(text)) return text
  throw new UsageError('--redis: expected a URL such as redis://localhost:6379')
}
