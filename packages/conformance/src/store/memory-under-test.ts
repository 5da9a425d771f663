import { memoryStore } from '@sluice/core'
import { baseUs, type StoreUnderTest } from './under-test.ts'

/** The memory store on a clock that can be moved, back too (manualClock goes forward only). */
export async function memoryUnderTest(): Promise<StoreUnderTest> {
  let nowUs = baseUs
  // No history meets a store that is full of the keys of those before it: unknown keys would share one count.
  const store = memoryStore({ maxKeys: Number.MAX_SAFE_INTEGER, clock: { nowUs: () => nowUs } })
  return {
    store,
    keepsOrder: true,
    setClock: async (us) => {
      nowUs = us
    },
    close: () => store.close(),
  }
}
