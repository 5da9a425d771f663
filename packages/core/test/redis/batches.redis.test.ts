import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { fixedWindow, gcra } from '../../src/index.ts'
import { stateName } from '../../src/key.ts'
import type { Connection } from '../../src/redis/connection.ts'
import { fromIoredis } from '../../src/redis/connections.ts'
import { RedisStore } from '../../src/redis/store.ts'
import { checkOf, question } from './real-store.ts'
import { standing } from './standing.ts'

const policy = fixedWindow({ limit: 5, window: '1m' })
let client: Redis
let store: RedisStore
/** What becomes of the arguments of the next calls. */
let change: (args: readonly unknown[]) => void = () => {}
/** How many keys each call had. */
let calls: number[] = []

beforeAll(async () => {
  client = new Redis({ path: socket })
  const inner = fromIoredis(client)
  const connection: Connection = {
    run: (script, keys, args) => {
      calls.push(keys.length)
      change(args)
      return inner.run(script, keys, args)
    },
    send: (command, args) => inner.send(command, args),
    close: () => inner.close(),
  }
  store = new RedisStore({ connection, prefix: '', deadlineUs: 60_000_000, clock: standing })
  await store.ready()
})

afterAll(async () => {
  await store.close()
  client.disconnect()
})

it('a window that one call shortens, and hits again, lives until the receipts of the longer one have ended', async () => {
  const check = checkOf(policy)
  // As an hour's window has left it: the policy's is a minute.
  const endUs = (Date.now() + 3_600_000) * 1000
  await client.psetex(stateName(check), 3_600_000, `${endUs}001`)
  calls = []
  const rows = await Promise.all([store.answer(question(check)), store.answer(question(check))])
  expect(calls).toEqual([2])
  expect(rows.map(([row]) => row?.remaining)).toEqual([3, 2])
  const lifeMs = await client.pttl(stateName(check))
  expect(lifeMs).toBeGreaterThan(60_000)
  expect(lifeMs).toBeLessThanOrEqual(3_600_000)
})

it('of questions that go together each has its own patience', async () => {
  const one = question(checkOf(gcra({ count: 1, period: '1h' })))
  calls = []
  const asked = [one, { ...one, maxWaitUs: 7_200_000_000 }, one].map((each) => store.answer(each))
  const rows = (await Promise.all(asked)).map(([row]) => row)
  expect(calls).toEqual([3])
  expect(rows.map((row) => row?.allowed)).toEqual([true, true, false])
})

it('of questions that go together each has its own deadline, in milliseconds after the first', async () => {
  const [first, second] = [checkOf(policy), checkOf(policy)]
  const [seconds, us] = await client.time()
  const nowUs = Number(seconds) * 1_000_000 + Number(us)
  calls = []
  change = (args) => {
    // Once: the first one's deadline was a second ago, and the other has a minute more.
    change = () => {}
    Object.assign(args, [nowUs - 1_000_000, '1:0 1:60000'])
  }
  const batch = Promise.all([store.answer(question(first)), store.answer(question(second))])
  expect((await batch).map(([row]) => row?.remaining)).toEqual([4, 4])
  // The first was too late for the server while its caller still waits: it alone is sent again.
  expect(calls).toEqual([2, 1])
  change = () => {}
})

it('what questions that go together have charged is given back, and not to a key that was reset since', async () => {
  const checks = [0, 1].map(() => checkOf(gcra({ count: 5, period: '1h' })))
  calls = []
  const rows = await Promise.all(checks.map((check) => store.answer(question(check))))
  expect(calls).toEqual([2])
  const [reset] = checks
  if (reset === undefined) throw new Error('There are two.')
  await store.manage({ op: 'reset', check: reset })
  for (const check of checks) await store.answer(question(check))
  await store.adjust(
    checks.map((check, i) => ({ check, receipt: rows[i]?.[0]?.receipt ?? null, byUnits: -1 })),
  )
  const left = await Promise.all(checks.map((check) => store.answer(question({ ...check, cost: 0 }, false))))
  expect(left.map(([row]) => row?.remaining)).toEqual([4, 4])
})
