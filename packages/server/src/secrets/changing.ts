import type { Logger } from '@sluice/core'
import { isOptionError } from '@sluice/core'
import { whenChanged } from './when-changed.ts'

/** A value from files that are read again when they change. Files that cannot be used change nothing. */
export class Changing<T> {
  readonly #watch: { close(): void }
  readonly #heard: ((value: T) => void)[] = []
  #value: T

  /** `read` throws an OptionError for files that cannot be used; `what` names the value in logs. */
  constructor(
    read: () => T,
    { files, what, logger }: { files: readonly string[]; what: string; logger: Logger },
  ) {
    this.#value = read()
    this.#watch = whenChanged(files, () => {
      try {
        this.#value = read()
      } catch (error) {
        if (!isOptionError(error)) throw error
        return logger.error(`[sluice] ${what} stays what it was: expected ${error.expected}`)
      }
      for (const heard of this.#heard) heard(this.#value)
      logger.warn(`[sluice] ${what} was read again, and applies`)
    })
  }

  get value(): T {
    return this.#value
  }

  whenChanged(heard: (value: T) => void): void {
    this.#heard.push(heard)
  }

  close(): void {
    this.#watch.close()
  }
}
