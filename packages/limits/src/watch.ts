import { type FSWatcher, watch } from 'node:fs'
import path from 'node:path'
import { isFolder, markNow, markOf } from './marks.ts'

export interface WatchOptions {
  /** How long a file must stay unchanged before it counts as written. @default 50 */
  settleMs?: number | undefined
  /** How often to poll, because links and network drives may not send events. @default 2000 */
  pollMs?: number | undefined
}

/**
 * Calls `changed` whenever a file changes, or any YAML file of a folder: written in place, replaced, deleted, created. Several writes in a
 * row are one change. Start it before the file is first read, or a change in between is missed. Does not keep the process alive.
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
  /** The last reported state, and the last seen state. */
  #reported: string
  #seen: string

  constructor(file: string, changed: () => void, { settleMs = 50, pollMs = 2000 }: WatchOptions) {
    this.#file = file
    this.#changed = changed
    this.#settleMs = settleMs
    this.#reported = markNow(file)
    this.#seen = this.#reported
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
      void markOf(this.#file).then((mark) => this.#saw(mark))
    }, this.#settleMs).unref()
  }

  /** Reports a state once two looks have seen it: one that differs from the previous look may not be completely written. */
  #saw(mark: string): void {
    if (this.#closed) return
    if (mark !== this.#seen) {
      this.#seen = mark
      this.#lookSoon()
    } else if (mark !== this.#reported) {
      this.#reported = mark
      this.#changed()
    }
  }
}

/** Watches the folder, because editors replace files; undefined if it cannot be watched, and is only polled. */
function watchFolder(file: string, heard: () => void): FSWatcher | undefined {
  try {
    return watch(isFolder(file) ? file : path.dirname(file), { persistent: false }, heard).on(
      'error',
      () => {},
    )
  } catch {
    return undefined
  }
}
