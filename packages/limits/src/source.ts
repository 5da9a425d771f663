import { readFile } from 'node:fs/promises'
import { isEndless } from './marks.ts'
import { isLimitsError, limitsError } from './problem.ts'
import { readLimitsData, readLimitsText } from './read.ts'
import type { Tree } from './tree.ts'
import { watchFile } from './watch.ts'
import { printable } from './words.ts'

/** Where limits come from that stand in no file of limits: in files of another service, or in a database. */
export interface LimitsSource {
  /** What logs and health call it: a file or a folder, for example. */
  readonly name: string
  /**
   * Plain data in the shape of a file of limits. Where it rejects, or has not answered after 30 seconds, the limits stay what they were;
   * a LimitsError says where the problems are.
   */
  read(): Promise<unknown>
  /** Calls `changed` when to read it again. */
  watch?(changed: () => void): { close(): void }
}

/** A source, as the limiter needs it. */
export interface TreeSource extends Pick<LimitsSource, 'watch'> {
  /** Of what nobody changes it is not asked. */
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

/** Data may throw too when it is looked at, as fields that are fetched only then. */
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
 * The same of a file that was read before. A pipe has ended by then, or has taken the place of the file: a read of it may never end.
 *
 * @throws LimitsError if it is none, or cannot be read.
 */
export async function textAgain(file: string): Promise<string> {
  if (await isEndless(file)) unreadable(file, 'a pipe or a device')
  return textOf(file)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Of another encoding, names would become others, which no request has.
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
