import { afterEach, beforeEach, expect, it } from '@jest/globals'
import {
  type Check,
  concurrency,
  createLimiter,
  fixedWindow,
  type Policy,
  type Question,
  type StoreRows,
} from '@sluice/core'
import { stores } from '@sluice/core/internal'
import type { HostStore } from '../src/store.ts'
import { Here } from './here.ts'

let here: Here
let holder: HostStore
let other: HostStore
const clock = { nowUs: () => 1_700_000_000_000_000 }

beforeEach(async () => {
  here = new Here()
  holder = here.store(clock)
  await holder.begin()
  other = here.store(clock)
  await other.begin()
})
afterEach(() => here.close())

function checkOf(policy: Policy, cost = 1): Check {
  return { id: 'id', policy, key: 'k', cost, note: undefined, shadow: false, onStoreFailure: 'local' }
}

function question(check: Check): Question {
  return { checks: [check], charge: 'all-or-nothing', maxWaitUs: 0, take: true }
}

async function ask(store: HostStore, check: Check): Promise<StoreRows> {
  return store.answer(question(check))
}

it('what was asked when the counts were lost is asked of those that come after them', async () => {
  const check = checkOf(fixedWindow({ limit: 5, window: '1h' }))
  await ask(other, check)
  const asked = Array.from({ length: 4 }, () => ask(other, check))
  await holder.close()
  const rows = (await Promise.all(asked)).flat()
  expect(rows.map(({ allowed }) => allowed)).toEqual([true, true, true, true])
  expect(await ask(other, check)).toMatchObject([{ allowed: true, remaining: expect.any(Number) }])
})

it('nothing is given back of what was taken from counts that are gone', async () => {
  const check = checkOf(fixedWindow({ limit: 5, window: '1h' }))
  const [taken] = await ask(other, check)
  await holder.close()
  for (let i = 0; i < 3; i++) await ask(other, check)
  await other.adjust([{ check, receipt: taken?.receipt ?? '', byUnits: -1 }])
  expect(await ask(other, check)).toMatchObject([{ allowed: true, remaining: 1 }])
})

it('a place that was taken before is regained by its renewal, and given back by its receipt', async () => {
  const check = checkOf(concurrency({ limit: 2, lease: '10s' }))
  const [taken] = await ask(other, check)
  const receipt = taken?.receipt ?? ''
  await holder.close()
  expect(await other.renew([{ check, receipt }])).toEqual(['regained'])
  expect(await other.renew([{ check, receipt }])).toEqual(['held'])
  expect(await ask(other, { ...check, cost: 2 })).toMatchObject([{ allowed: false }])
  await other.adjust([{ check, receipt, byUnits: -1 }])
  expect(await ask(other, { ...check, cost: 2 })).toMatchObject([{ allowed: true }])
})

it('units that are taken ahead are used without asking who holds the counts', async () => {
  const store = stores.guard(other, stores.readGuardOptions({ deadline: '20s' }))
  const limiter = createLimiter({ policy: fixedWindow({ limit: 100, window: '1h' }), store, ahead: '1m' })
  let admitted = 0
  for (let i = 0; i < 150; i++) if ((await limiter.check('k')).allowed) admitted++
  expect(admitted).toBe(100)
  expect(limiter.health().ahead?.decisions).toBeGreaterThan(0)
  await limiter.close()
})

it('who has closed its store is told so, and nobody else is', async () => {
  const check = checkOf(fixedWindow({ limit: 5, window: '1h' }))
  await other.close()
  expect(() => other.answer(question(check))).toThrow('the store was closed')
  expect(await ask(holder, check)).toMatchObject([{ remaining: 4 }])
})
