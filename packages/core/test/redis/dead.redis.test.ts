import { afterAll, expect, it } from '@jest/globals'
import { baseUs } from '@sluice/conformance/internal'
import { redisUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { concurrency, multiWindow, type Policy, slidingWindowLog } from '../../src/index.ts'
import { stateName } from '../../src/key.ts'
import { checkOf, question } from './real-store.ts'

const client = new Redis({ path: socket })
afterAll(() => client.disconnect())

const windows = {
  limits: [
    { limit: 5, window: '2s' },
    { limit: 9, window: '10s' },
  ],
  slot: '1s',
} as const

// biome-ignore format: a table
it.each<[Policy, (key: string) => Promise<number>]>([
  // each counts for ten seconds                        how many entries are stored
  [concurrency({ limit: 5, lease: '10s' }),             (key) => client.zcard(key)],
  [slidingWindowLog({ limit: 5, window: '10s' }),       (key) => client.zcard(key)],
  [multiWindow(windows),                                (key) => client.hlen(key)],
])('a key that is never idle keeps nothing that does not count any more: $strategy', async (policy, count) => {
  const { store, setClock, close } = await redisUnderTest(socket)
  const check = checkOf(policy)
  const stored: number[] = []
  for (const seconds of [0, 6, 12, 18]) {
    await setClock(baseUs + seconds * 1_000_000)
    await store.answer(question(check))
    stored.push(await count(stateName(check)))
  }
  await close()
  expect(stored).toEqual([1, 2, 2, 2])
})

it('a key keeps no turn of a caller that has died in line', async () => {
  const { store, setClock, close } = await redisUnderTest(socket)
  const check = checkOf(concurrency({ limit: 2, lease: '10s' }))
  await setClock(baseUs)
  await store.answer(question(check))
  const both = { ...check, cost: 2 }
  const caller = { check: both, id: 'dead', priority: 0, waitedUs: 0, leaves: false, stands: false }
  const [place] = (await store.line?.([caller])) ?? []
  expect(place).toMatchObject({ waits: true })
  // A lease, and for each unit that is waited for a claim and a turn.
  expect(await client.zcard(stateName(check))).toBe(5)
  await setClock(baseUs + 6_000_000)
  await store.answer(question(check))
  await close()
  expect(await client.zcard(stateName(check))).toBe(2)
})
