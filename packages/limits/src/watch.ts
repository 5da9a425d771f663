import { type BigIntStats, type FSWatcher, stat, statSync, watch } from 'node:fs'
import path from 'node:path'

export interface WatchOptions {
  /** How long a file must stay as it is before it counts as written. @default 50 */
  settleMs?: number | undefined
  /** How often to look although nothing was heard, as of the target of a link or of a network drive. @default 2000 */
  pollMs?: number | undefined
}

/**
 * Calls `changed` whenever a file is another than before: written in place, renamed over, deleted, made anew. Several writes in a
 * row are one change. Start it before the file is first read, or a change in between goes unseen. Keeps no process alive.
 */
export function watchFile(file: string, changed: () => void, options: WatchOptions = {}): { close(): void } {
  return new FileWatch(file, changed, options)
}

class FileWatch {
  readonly #file: string
  readonly #changed: () => void
  readonly #settleMs: number
  readonly #poll: NodeJS.Timeout
  readonly #folder: FSWatcher | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false
  /** What was last told of, and what was last seen. */
  #told: string
  #seen: string

  constructor(file: string, changed: () => void, { settleMs = 50, pollMs = 2000 }: WatchOptions) {
    this.#file = file
    this.#changed = changed
    this.#settleMs = settleMs
    this.#told = markOf(statSync(file, { bigint: true, throwIfNoEntry: false }))
    this.#seen = this.#told
    this.#folder = watchFolder(file, () => this.#lookSoon())
    this.#poll = setInterval(() => this.#lookSoon(), pollMs).unref()
  }

  close(): void {
    this.#closed = true
    this.#folder?.close()
    clearInterval(this.#poll)
    clearTimeout(this.#timer)
  }

  #lookSoon(): void {
    if (this.#closed || this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      stat(this.#file, { bigint: true }, (_error, stats) => this.#saw(markOf(stats)))
    }, this.#settleMs).unref()
  }

  /** What differs from the look before may still be in writing. */
  #saw(mark: string): void {
    if (this.#closed) return
    if (mark !== this.#seen) {
      this.#seen = mark
      this.#lookSoon()
    } else if (mark !== this.#told) {
      this.#told = mark
      this.#changed()
    }
  }
}

/** Of the folder, as editors put a new file in the place of the old one. undefined: what cannot be watched is polled alone. */
function watchFolder(file: string, heard: () => void): FSWatcher | undefined {
  try {
    return watch(path.dirname(file), { persistent: false }, heard).on('error', () => {})
  } catch {
    return undefined
  }
}

/** By which two looks at a file are told apart; empty where there is none. */
function markOf(stats: BigIntStats | undefined): string {
  return stats === undefined ? '' : [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join()
}
