import type { Check } from '@sluice/core'
import { stores } from '@sluice/core/internal'
import type { Transact } from '@sluice/state'
import { StateStore } from '@sluice/state/internal'
import { baseUs, type StoreUnderTest } from './under-test.ts'

/** What a `stateStore` is made of, and how its tests end. */
export interface StatesUnderTest {
  readonly transact: Transact
  /** Of the random histories so many are played: those of a server take long. @default 1: all of them */
  readonly share?: number
  close?(): Promise<void>
}

/** Longer than any suite runs: here time is the suite's, and the database's own must end nothing. */
const keptMs = 86_400_000

/** The store of these states, on a clock that can be moved. */
export async function statesUnderTest(open: () => Promise<StatesUnderTest>): Promise<StoreUnderTest> {
  const { transact, share = 1, close } = await open()
  let nowUs = baseUs
  const moved: Transact = (keys, change) =>
    transact(keys, (states) => {
      const { result, writes } = change(states, nowUs)
      return {
        result,
        writes: writes.map((write) => ({ ...write, ttlMs: write.state === null ? 0 : keptMs })),
      }
    })
  const read = (check: Check) =>
    transact([stores.stateName(check)], ([state = null]) => ({ result: state, writes: [] }))
  return {
    store: new StateStore({ name: 'under test', transact: moved }),
    share,
    async setClock(us) {
      nowUs = us
    },
    stored: read,
    async lifeUs(check) {
      const [stateEndUs = 0, , blockEndUs = 0] = JSON.parse((await read(check)) ?? '[]') as number[] // instants, but for the state
      const lifeUs = Math.max(stateEndUs, blockEndUs) - nowUs
      return lifeUs > 0 ? lifeUs : null
    },
    close: async () => close?.(),
  }
}
