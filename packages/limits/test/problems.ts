import { describeProblem, isLimitsError, type LimitsError } from '../src/problem.ts'
import { readLimitsText } from '../src/read.ts'

/** What is said of limits that cannot be loaded; undefined where they can. */
export function errorOf(read: () => unknown): LimitsError | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (!isLimitsError(error)) throw error
    return error
  }
}

/** What is said of a text, line by line. */
export function saidOf(text: string, file: string): readonly string[] {
  return (errorOf(() => readLimitsText(text, file))?.problems ?? []).map(describeProblem)
}
