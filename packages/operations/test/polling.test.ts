import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import { observing, realClock } from '@sluice/core/internal'
import { ProcessLimits } from '../src/limits/changeable-limits.ts'
import type { LimitsServer } from '../src/limits/limits-server.ts'
import type { ListsServer } from '../src/lists/lists-server.ts'
import { PolledLists } from '../src/lists/redis-lists.ts'
import { Polling } from '../src/polling.ts'

beforeEach(() => {
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
})

/** Looks that end when the test says so. */
function looking() {
  const ends: (() => void)[] = []
  const polling = new Polling(() => new Promise<void>((resolve) => ends.push(resolve)))
  const looks = () => ends.length
  const end = async () => {
    ends.at(-1)?.()
    await jest.advanceTimersByTimeAsync(0)
  }
  return { polling, looks, end }
}

it('looks at once, and no more than once at a time', async () => {
  const { polling, looks, end } = looking()
  await jest.advanceTimersByTimeAsync(5000)
  expect(looks()).toBe(1)
  await end()
  await jest.advanceTimersByTimeAsync(500)
  expect(looks()).toBe(2)
  polling.close()
})

it('looks once more after a change, as the look that is under way may be older', async () => {
  const { polling, looks, end } = looking()
  let isOver = false
  void polling.afresh().then(() => {
    isOver = true
  })
  await end()
  expect([looks(), isOver]).toEqual([2, false])
  await end()
  expect(isOver).toBe(true)
  polling.close()
})

it('looks no more when it is closed, and keeps no timer', async () => {
  const { polling, looks, end } = looking()
  await end()
  polling.close()
  expect(jest.getTimerCount()).toBe(0)
  await polling.once()
  expect(looks()).toBe(1)
})

it('lists are read whole where they have changed, and not each time', async () => {
  const asked: string[] = []
  const read: ListsServer['read'] = async (known = '') => {
    asked.push(known)
    return { version: '7', entries: known === '7' ? undefined : [], malformed: 0 }
  }
  const lists = new PolledLists({ read } as ListsServer) // all that is asked of it here
  for (let i = 0; i < 3; i++) await lists.ready()
  lists.close()
  expect(asked).toEqual(['', '7', '7'])
})

it('a changed limit ends in time while Redis has not answered, as its own time is known', async () => {
  const about = { endsInMs: 5, atMs: undefined, why: undefined, by: undefined }
  const sights = [{ version: '7', changes: [{ name: 'free', options: { limit: 2 }, ...about }] }]
  const read: LimitsServer['read'] = async () => sights.shift() ?? new Promise(() => {})
  const rules: unknown[] = []
  const turned = () => rules.push(limits.describe()[0]?.now)
  const limits = new ProcessLimits({ read } as LimitsServer, new observing.Reports([], console), turned) // all that is asked of it here
  limits.of({ free: fixedWindow({ limit: 5, window: '1h' }) })
  await jest.advanceTimersByTimeAsync(500)
  // No test moves the clock of a change.
  for (const endUs = realClock.nowUs() + 6000; realClock.nowUs() < endUs; );
  await jest.advanceTimersByTimeAsync(500)
  expect(rules).toEqual([null, '2 in 1 h', null])
  limits.close()
})
