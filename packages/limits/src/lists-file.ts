import { readFileSync } from 'node:fs'
import type { Key, Listed, Lists, ListsWatcher, Logger } from '@sluice/core'
import { booleanOption, checkNames, observing, optionError } from '@sluice/core/internal'
import { ListTable } from '@sluice/http/internal'
import { isLimitsError } from './problem.ts'
import { readListsText } from './read-lists.ts'
import { decoded, textAgain, unreadable } from './source.ts'
import { watchFile } from './watch.ts'

export interface ListsFileOptions {
  /** Reads the file again when it changes; a broken one changes nothing. @default true */
  watch?: boolean | undefined
  /** Gets an error when a changed file cannot be read. @default console */
  logger?: Pick<Logger, 'warn' | 'error'> | undefined
}

/** Lists that stand in a file. */
export interface ListsFile extends Lists {
  /** Stops watching the file; the entries that were read last stay in force, each until its end. */
  close(): void
}

class WatchedLists implements ListsFile {
  readonly #file: string
  readonly #logger: Logger
  readonly #watchers = new Set<ListsWatcher>()
  readonly #watch: { close(): void } | undefined
  #table: ListTable
  #error: string | undefined
  #last = Promise.resolve()

  constructor(file: string, { watch, logger }: { watch: boolean; logger: Logger }) {
    this.#file = file
    this.#logger = logger
    // Watched before it is read, so that no change is missed.
    this.#watch = watch ? watchFile(file, () => this.#changed()) : undefined
    try {
      this.#table = new ListTable(readListsText(readNow(file), file))
    } catch (error) {
      this.close()
      throw error
    }
  }

  ofAddress(address: string, limiter: string): Listed | undefined {
    return this.#table.ofAddress(address, limiter)
  }

  ofKey(key: Key, limiter: string): Listed | undefined {
    return this.#table.ofKey(key, limiter)
  }

  watch(watcher: ListsWatcher): () => void {
    this.#watchers.add(watcher)
    if (this.#error !== undefined) watcher.reloadFailed({ source: this.#file, error: this.#error })
    return () => void this.#watchers.delete(watcher)
  }

  close(): void {
    this.#watch?.close()
  }

  /** Reloads one after another: a change during a reload causes another one. */
  #changed(): void {
    this.#last = this.#last.then(() => this.#reload())
  }

  async #reload(): Promise<void> {
    try {
      this.#table = new ListTable(readListsText(await textAgain(this.#file), this.#file))
    } catch (error) {
      if (!isLimitsError(error)) throw error
      return this.#failed(error.message)
    }
    this.#error = undefined
    for (const watcher of this.#watchers) watcher.reloaded(this.#file)
  }

  #failed(error: string): void {
    this.#error = error
    try {
      this.#logger.error(`[sluice] the previous lists stay in force: ${error}`)
    } catch {
      // An error of the logger must not affect the lists.
    }
    for (const watcher of this.#watchers) watcher.reloadFailed({ source: this.#file, error })
  }
}

function readNow(file: string): string {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(file)
  } catch (error) {
    return unreadable(file, error)
  }
  return decoded(bytes, file)
}

/**
 * Addresses and keys that are denied, blocked or let pass, from a YAML file that is read again when it changes.
 *
 * @example
 * const lists = listsFile('lists.yaml')
 * const limiter = createLimiter({ policy, store, lists: [lists] })
 * @throws LimitsError with all problems of the file, each with line, column and path
 */
export function listsFile(file: string, options: ListsFileOptions = {}): ListsFile {
  if (typeof file !== 'string' || file === '') throw optionError('file', 'the name of a file', file)
  checkNames(options, 'options', ['watch', 'logger'])
  const { watch = true, logger } = options
  booleanOption(watch, 'options.watch')
  return new WatchedLists(file, { watch, logger: observing.readLogger(logger) })
}
