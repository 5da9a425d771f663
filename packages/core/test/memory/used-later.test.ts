import { expect, it } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import { reservable, slidingWindowLog } from '../../src/index.ts'
import { MemoryStore } from '../../src/memory/store.ts'
import { checkOf, question } from '../redis/real-store.ts'

it('units that are used later drop nothing that still counts now', async () => {
  const clock = manualClock()
  const store = new MemoryStore(100, clock)
  const policy = reservable(slidingWindowLog({ limit: 2, window: '1s' }), { maxDebt: '2s' })
  const check = checkOf(policy)
  const ask = () => store.answer(question(check))[0]
  expect(ask()).toMatchObject({ allowed: true, remaining: 1 })
  await clock.advance('500ms')
  store.adjustAt({ check, receipt: null, byUnits: 1 }, clock.nowUs() + 700_000)
  store.adjustAt({ check, receipt: null, byUnits: -1 }, clock.nowUs())
  expect(ask()).toMatchObject({ allowed: true, remaining: 0 })
  expect(ask()).toMatchObject({ allowed: false })
})
