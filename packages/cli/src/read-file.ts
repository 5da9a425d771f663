import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { isLimitsError, type LimitsProblem, readLimitsText, type Tree } from '@sluice/limits'
import { UsageError } from './exit-code.ts'

export type FileRead =
  | { readonly tree: Tree; readonly problems: readonly [] }
  | { readonly tree: undefined; readonly problems: readonly LimitsProblem[] }

/** Throws a UsageError for a file that cannot be read at all. */
export function readFile(file: string): FileRead {
  const text = readText(file)
  try {
    return { tree: readLimitsText(text, file), problems: [] }
  } catch (error) {
    if (!isLimitsError(error)) throw error
    return { tree: undefined, problems: error.problems }
  }
}

/** Throws a UsageError for a file that cannot be read. */
export function readText(file: string): string {
  const bytes = readBytes(file)
  if (!isUtf8(bytes)) throw new UsageError(`cannot read ${file} (it is not UTF-8)`)
  return bytes.toString('utf8')
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw unreadable(file, error)
  }
}

export function unreadable(name: string, error: unknown): UsageError {
  const reason = error instanceof Error ? error.message.split(',')[0] : String(error)
  return new UsageError(`cannot read ${name} (${reason})`)
}
