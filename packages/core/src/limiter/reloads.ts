import { realClock } from '../clock.ts'
import type { FailedReload } from '../store.ts'

/** How often sources of limits, such as files, were read again, and those whose last reload has failed. */
export class Reloads {
  #applied = 0
  readonly #failed = new Map<string, { readonly error: string; readonly sinceUs: number }>()

  failed(source: string, error: string): void {
    const sinceUs = this.#failed.get(source)?.sinceUs ?? realClock.nowUs()
    this.#failed.set(source, { error, sinceUs })
  }

  /** The source was read and is in force; true where its last reload had failed. */
  succeeded(source: string): boolean {
    this.#applied++
    return this.#failed.delete(source)
  }

  /** For health: empty until one has succeeded. */
  get counted(): { readonly reloads?: number } {
    return this.#applied === 0 ? {} : { reloads: this.#applied }
  }

  get any(): boolean {
    return this.#failed.size > 0
  }

  get list(): readonly FailedReload[] {
    return [...this.#failed].map(([source, { error, sinceUs }]) => ({
      source,
      error,
      sinceMs: Math.floor((realClock.nowUs() - sinceUs) / 1000),
    }))
  }
}
