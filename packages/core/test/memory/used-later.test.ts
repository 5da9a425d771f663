import { expect, it } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import { type Check, reservable, slidingWindowLog } from '../../src/index.ts'
import { MemoryStore } from '../../src/memory/store.ts'

it('units that are used later drop nothing that still counts now', async () => {
  const clock = manualClock()
  const store = new MemoryStore(100, clock)
  const policy = reservable(slidingWindowLog({ limit: 2, window: '1s' }), { maxDebt: '2s' })
  const check: Check = {
    id: 'zoo',
    policy,
    key: 'k',
    cost: 1,
    note: undefined,
    shadow: false,
    onStoreFailure: 'local',
  }
  const ask = (take: boolean) =>
    store.answer({ checks: [check], charge: 'all-or-nothing', maxWaitUs: 0, take })[0]
  expect(ask(true)).toMatchObject({ allowed: true, remaining: 1 })
  await clock.advance('500ms')
  store.adjustAt({ check, receipt: null, byUnits: 1 }, clock.nowUs() + 700_000)
  store.adjustAt({ check, receipt: null, byUnits: -1 }, clock.nowUs())
  expect(ask(true)).toMatchObject({ allowed: true, remaining: 0 })
  expect(ask(true)).toMatchObject({ allowed: false })
})
