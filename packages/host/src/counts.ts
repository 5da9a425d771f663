import type { Clock } from '@sluice/core'
import { MemoryStore, runtime, type stores } from '@sluice/core/internal'
import { CountsFile } from './counts-file.ts'
import { Desk } from './desk.ts'
import type { Forms } from './forms.ts'

export interface CountsParts {
  readonly maxKeys: number
  readonly clock: Clock
  readonly file: string | undefined
  readonly forms: Forms
  readonly listeners: stores.Listeners
}

/** The counts, while this process holds them. If there is a file, they begin with the counts in it. */
export class Counts {
  readonly desk: Desk
  readonly #file: CountsFile | undefined

  constructor({ maxKeys, clock, file, forms, listeners }: CountsParts) {
    const memory = new MemoryStore(maxKeys, clock, new runtime.RandomMark())
    memory.watch({ event: () => {}, warned: (warning) => listeners.warned(warning) })
    this.desk = new Desk(memory)
    if (file === undefined) return
    this.#file = new CountsFile(file, memory, (code, message) => listeners.warned({ code, message }))
    this.#file.read(forms)
    this.#file.keep()
  }

  /** Stops writing the file: another process may hold the counts by now, and write it. */
  drop(): void {
    this.#file?.stop()
  }

  /** Writes the counts, so that the next process goes on with them. */
  async close(): Promise<void> {
    await this.#file?.close()
  }
}
