import { readFile } from 'node:fs/promises'
import { isEndless } from './marks.ts'
import { isLimitsError, limitsError } from './problem.ts'
import { readLimitsData, readLimitsText } from './read.ts'
import type { Tree } from './tree.ts'
import { watchFile } from './watch.ts'
import { printable } from './words.ts'

/** A source of limits that stand in no file of limits, but in files of another service or in a database. */
export interface LimitsSource {
  /** The name in logs and health: a file or a folder, for example. */
  readonly name: string
  /**
   * Resolves to plain data in the shape of a file of limits. If it rejects, or has not answered after 30 seconds, the limits stay what they
   * were; a LimitsError says where the problems are.
   */
  read(): Promise<unknown>
  /** Calls `changed` when to read it again. */
  watch?(changed: () => void): { close(): void }
}

/** A source, as the limiter needs it. */
export interface TreeSource extends Pick<LimitsSource, 'watch'> {
  /** Only used when the source is read again: one that never changes needs none. */
  readonly name: string
  read(): Promise<Tree>
}

export function fileSource(file: string): TreeSource {
  let isAgain = false
  return {
    name: file,
    read: async () => {
      const text = isAgain ? textAgain(file) : textOf(file)
      isAgain = true
      return readLimitsText(await text, file)
    },
    watch: (changed) => watchFile(file, changed),
  }
}

export function dataSource(source: LimitsSource): TreeSource {
  const { name, watch } = source
  return {
    name,
    read: () => treeOf(source),
    ...(watch !== undefined && { watch: (changed: () => void) => watch.call(source, changed) }),
  }
}

/** A read that never ends, as of a database whose connection is dead, must not hold up those of later changes. */
const longestReadMs = 30_000

function inTime<T>(reading: T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(`no answer within ${longestReadMs / 1000} s`)
    const timer = setTimeout(late, longestReadMs).unref()
    Promise.resolve(reading)
      .finally(() => clearTimeout(timer))
      .then(resolve, reject)
  })
}

/** Reading the data may throw too, such as a field that is fetched only when it is read. */
async function treeOf(source: LimitsSource): Promise<Tree> {
  try {
    return readLimitsData(await inTime(source.read()))
  } catch (error) {
    return isLimitsError(error)
      ? Promise.reject(error)
      : unreadable(source.name, error, 'limits that can be read')
  }
}

/** @throws LimitsError if the file cannot be read. */
export async function textOf(file: string): Promise<string> {
  return decoded(await readFile(file).catch((error) => unreadable(file, error)), file)
}

/**
 * Reads a file once more. By then a pipe has ended, or one has taken the place of the file: reading it may never end.
 *
 * @throws LimitsError if it is a pipe or a device, or cannot be read.
 */
export async function textAgain(file: string): Promise<string> {
  if (await isEndless(file)) unreadable(file, 'a pipe or a device')
  return textOf(file)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes UTF-8. From another encoding, names would become others, which no request has.
 *
 * @throws LimitsError if the file is not UTF-8.
 */
export function decoded(bytes: Uint8Array, file: string): string {
  try {
    return utf8.decode(bytes)
  } catch {
    return unreadable(file, 'text that is not UTF-8')
  }
}

export function unreadable(file: string, error: unknown, expected = 'a file that can be read'): never {
  const problem = { file, line: 0, column: 0, path: '', expected }
  throw limitsError([{ ...problem, got: printable(reasonOf(error)) }])
}

function reasonOf(error: unknown): string {
  try {
    const { code, message }: { readonly code?: unknown; readonly message?: unknown } = Object(error)
    // The message of node:fs repeats the path.
    return String(code ?? message ?? error)
  } catch {
    return 'an error without a text'
  }
}
