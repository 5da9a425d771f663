import { catalogue } from '@sluice/core/internal'

/**
 * The numbers of a policy in one line: `30 per 60s, burst 15`. Rates and windows have the same form for every
 * strategy, a limit without a time is `5 at once`; other options follow as name and value.
 */
export function ruleOf(strategy: string, options: Readonly<Record<string, unknown>>): string {
  const {
    units = '',
    span = '',
    windows = '',
    every,
  } = catalogue.declaredStrategies.get(strategy)?.rule ?? {}
  const { [units]: count, [span]: length, [windows]: limits, [every?.name ?? '']: each, ...others } = options
  const time = length ?? each
  const rest = Object.entries(others).map(([name, value]) => `${name} ${spoken(value)}`)
  return [...ratesOf(count, time, limits), ...rest].join(', ')
}

/** The text of a value. The members of `blockFor` follow one another: `first 1m factor 2`. */
function spoken(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value).flat().join(' ')
}

function ratesOf(units: unknown, span: unknown, windows: unknown): readonly string[] {
  if (Array.isArray(windows))
    return [windows.map(({ limit, window }) => `${limit} per ${window}`).join(' and ')]
  if (span === undefined) return [`${units} at once`]
  return [`${units ?? 1} per ${span}`]
}
