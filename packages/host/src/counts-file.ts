import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { setImmediate as turn } from 'node:timers/promises'
import type { MemoryStore } from '@sluice/core/internal'
import { codeOf, reasonOf } from './errors.ts'
import type { Forms } from './forms.ts'
import { linesOf, takeLine } from './kept.ts'

/** The first line. A file of another format is begun anew. */
const format = 'sluice-host 1'
const everyMs = 1000
/** Writing takes at most this part of the time, so that many keys are written less often. */
const mostPart = 1 / 20
/** How many keys are written in one turn of the event loop. */
const keysInTurn = 500

/** A file with all counts: written now and then, and at the end; read by the next process that holds them. */
export class CountsFile {
  readonly #path: string
  readonly #memory: MemoryStore
  readonly #warn: (code: string, message: string) => void
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #stopped = false

  constructor(path: string, memory: MemoryStore, warn: (code: string, message: string) => void) {
    this.#path = path
    this.#memory = memory
    this.#warn = warn
  }

  /** Reads the counts. A damaged file is ignored, with a warning. */
  read(forms: Forms): void {
    try {
      const lines = checkedLines(readFileSync(this.#path, 'utf8'))
      for (const line of lines) takeLine(this.#memory, line, forms)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return
      this.#warn('SLUICE_HOST_FILE', `${this.#path} cannot be read, and is started anew: ${reasonOf(error)}`)
    }
  }

  keep(): void {
    this.#timer = setTimeout(this.#due, everyMs).unref()
  }

  /** Ends all writing. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  /** Writes for the last time, in one turn. */
  async close(): Promise<void> {
    this.stop()
    await this.#writing
    try {
      writeFileSync(this.#besides, textOf([...linesOf(this.#memory)]), { mode: 0o600 })
      renameSync(this.#besides, this.#path)
    } catch (error) {
      this.#failed(error)
    }
  }

  /** The file that is written and then renamed, so that no process reads half a file. */
  get #besides(): string {
    return `${this.#path}.new`
  }

  readonly #due = (): void => {
    this.#writing = this.#write()
  }

  /** Never rejects. */
  async #write(): Promise<void> {
    const startedAt = performance.now()
    try {
      await this.#writeInTurns()
    } catch (error) {
      this.#failed(error)
    }
    if (this.#stopped) return
    const tookMs = performance.now() - startedAt
    this.#timer = setTimeout(this.#due, Math.max(everyMs, tookMs / mostPart)).unref()
  }

  async #writeInTurns(): Promise<void> {
    const lines: string[] = []
    for (const line of linesOf(this.#memory)) {
      lines.push(line)
      if (lines.length % keysInTurn === 0) await turn()
    }
    if (this.#stopped) return
    await writeFile(this.#besides, textOf(lines), { mode: 0o600 })
    if (!this.#stopped) await rename(this.#besides, this.#path)
  }

  #failed(error: unknown): void {
    this.#warn('SLUICE_HOST_FILE', `the counts cannot be written to ${this.#path}: ${reasonOf(error)}`)
  }
}

/** The last line is the digest of all before it. */
function textOf(lines: readonly string[]): string {
  const text = [format, ...lines, ''].join('\n')
  return `${text}${digestOf(text)}\n`
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Throws where the file is not as it was written. */
function checkedLines(text: string): readonly string[] {
  const [first, ...lines] = text.split('\n')
  if (first !== format) throw new TypeError(`it does not begin with "${format}"`)
  const end = text.lastIndexOf('\n', text.length - 2) + 1
  if (!text.endsWith('\n') || text.slice(end, -1) !== digestOf(text.slice(0, end)))
    throw new TypeError('it is damaged, or was not written to its end')
  return lines.slice(0, -2)
}
