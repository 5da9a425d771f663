import { memoryStore } from '@sluice/core'
import { movableClock } from '../clock.ts'
import { SluiceStore } from './sluice-store.ts'

export interface MemoryStoreOptions {
  /** Keys kept at most; beyond it idle keys go, keys at their limit stay. @default 100_000 */
  maxKeys?: number | undefined
}

/** Counts in this process: the default. */
export class MemoryStore extends SluiceStore {
  readonly #maxKeys: number

  constructor({ maxKeys = 100_000 }: MemoryStoreOptions = {}) {
    super(memoryStore({ maxKeys, clock: movableClock }))
    this.#maxKeys = maxKeys
  }

  async resetAll(): Promise<void> {
    super.shutdown()
    this.store = memoryStore({ maxKeys: this.#maxKeys, clock: movableClock })
  }

  override shutdown(): void {
    void this.resetAll()
  }
}
