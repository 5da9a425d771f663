import type { Skip, StoreUnderTest } from '@sluice/conformance'
import { asOneMoreWay, baseUs } from '@sluice/conformance/internal'
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
  const subject: StoreUnderTest = {
    store,
    keepsOrder: true,
    async setClock(us) {
      if (us === nowUs) return
      nowUs = us
      await other?.ask({ do: 'set clock', us })
    },
    async close() {
      await here.close()
      await other?.kill()
    },
  }
  // The arithmetic is the memory store's, also of what is asked over the socket.
  return asOneMoreWay(subject, 0.03)
}

/** As of counts in memory. */
export const skips: readonly Skip[] = [
  {
    cases: 'gives its keys the lives',
    reason: 'the counts are in memory, which gives no lives: an idle key goes when its room is wanted',
  },
  { cases: 'write nothing', reason: 'what memory stores cannot be seen' },
]
