import { codedTypeError } from '@sluice/core/internal'
import { printable } from './words.ts'

/** One problem in limits, and its position. */
export interface LimitsProblem {
  /** undefined if the limits came as text or as data. */
  readonly file: string | undefined
  /** From 1; 0 if the limits came as data, which has no lines. */
  readonly line: number
  /** From 1; 0 if the limits came as data. */
  readonly column: number
  /** In the tree: `schema.user.children.*.limits.period`; empty if the problem is in the text itself. */
  readonly path: string
  readonly expected: string
  readonly got: string
}

/** Limits that cannot be loaded: all problems at once, in the order of the file. */
export interface LimitsError extends TypeError {
  readonly code: 'SLUICE_LIMITS'
  readonly problems: readonly LimitsProblem[]
}

const mostInMessage = 20

export function limitsError(problems: readonly LimitsProblem[]): LimitsError {
  const lines = problems.slice(0, mostInMessage).map(describeProblem)
  if (problems.length > mostInMessage) lines.push(`and ${problems.length - mostInMessage} more`)
  return codedTypeError(lines.join('\n'), { code: 'SLUICE_LIMITS', problems })
}

export function isLimitsError(error: unknown): error is LimitsError {
  return error instanceof TypeError && 'code' in error && error.code === 'SLUICE_LIMITS'
}

/** A problem on one line, as compilers write them: `limits.yaml:4:15: schema.user.limits: expected …, got …`. */
export function describeProblem({ file, line, column, path, expected, got }: LimitsProblem): string {
  const name = printable(file ?? 'limits')
  const place = line === 0 ? name : `${name}:${line}:${column}`
  return `${place}: ${path === '' ? '' : `${path}: `}expected ${expected}, got ${got}`
}
