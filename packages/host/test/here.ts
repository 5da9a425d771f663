import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Clock } from '@sluice/core'
import { takeSeat } from '../src/seats.ts'
import { HostStore, type HostStoreParts } from '../src/store.ts'

/** A folder of its own, in which nobody holds any counts yet. */
export class Here {
  readonly folder: string = path.join(mkdtempSync(path.join(tmpdir(), 'host-')), 'place')
  readonly #stores: HostStore[] = []

  /** Unguarded, so that its errors are seen. */
  store(clock: Clock, parts: Partial<HostStoreParts> = {}): HostStore {
    const seat = { takeSeat: () => takeSeat(this.folder), maxKeys: 100_000, file: undefined }
    const store = new HostStore({ ...seat, clock, ...parts })
    this.#stores.push(store)
    return store
  }

  async close(): Promise<void> {
    for (const store of this.#stores.reverse()) await store.close()
    rmSync(path.dirname(this.folder), { recursive: true, force: true })
  }
}
