import type { Skip, StoreUnderTest } from '@sluice/conformance'
import { baseUs } from '@sluice/conformance/internal'
import { Child } from '../child.ts'
import { Here } from '../here.ts'

/** The process that asks holds the counts itself, or it asks another store of its own, or another process. */
export type Holder = 'this store' | 'another store' | 'another process'

export async function hostUnderTest(holder: Holder): Promise<StoreUnderTest> {
  const here = new Here()
  let nowUs = baseUs
  const clock = { nowUs: () => nowUs }
  const other = holder === 'another process' ? await Child.start(here.folder, { clock: nowUs }) : undefined
  if (holder === 'another store') await here.store(clock).begin()
  const store = here.store(clock)
  await store.begin()
  return {
    store,
    keepsOrder: true,
    // What is asked over the socket is decided by the same code.
    share: holder === 'this store' ? 0.3 : 0.1,
    async setClock(us) {
      nowUs = us
      await other?.ask({ do: 'set clock', us })
    },
    async close() {
      await here.close()
      await other?.kill()
    },
  }
}

/** As of counts in memory. */
export const skips: readonly Skip[] = [
  {
    cases: 'gives its keys the lives',
    reason: 'the counts are in memory, which gives no lives: an idle key goes when its room is wanted',
  },
  { cases: 'write nothing', reason: 'what memory stores cannot be seen' },
]
