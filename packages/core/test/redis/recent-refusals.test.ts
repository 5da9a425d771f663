import { beforeEach, expect, it } from '@jest/globals'
import { concurrency, fixedWindow, tokenBucket, uniform } from '../../src/index.ts'
import { RecentRefusals } from '../../src/redis/recent-refusals.ts'
import { ServerClock } from '../../src/redis/server-deadlines.ts'
import { makeRow } from '../../src/row.ts'
import type { Check, Question, Reason } from '../../src/store.ts'

const forUs = 1_000_000
const policy = fixedWindow({ limit: 1, window: '1h' })
const clock = new ServerClock()
const row = makeRow(
  { limit: 1, remaining: 0, retryAfterUs: 3_600_000_000, resetAfterUs: 3_600_000_000 },
  'limited',
  '',
)
let refusals: RecentRefusals
beforeEach(() => {
  refusals = new RecentRefusals(forUs)
})

function questionOf(id: string, key: string, more: Partial<Check> = {}): Question {
  const plain = { id, key, policy, cost: 1, note: undefined, shadow: false, onStoreFailure: 'local' } as const
  const check = { ...plain, ...more }
  return { checks: [check], charge: 'all-or-nothing', maxWaitUs: 0, take: true }
}

function refuse(id: string, key: string, localUs: number): void {
  refusals.heard(questionOf(id, key), [row], { clock, serverUs: localUs, localUs })
}

it('all policies of a store together keep at most 10,000 recent refusals, the newest', () => {
  for (let i = 0; i < 1500; i++) for (let id = 0; id < 20; id++) refuse(`limit ${id}`, `key ${i}`, 0)
  expect(refusals.size).toBe(10_000)
  let repeated = 0
  for (let i = 0; i < 1500; i++) {
    for (let id = 0; id < 20; id++)
      if (refusals.rowsFor(questionOf(`limit ${id}`, `key ${i}`), 0) !== undefined) repeated++
  }
  expect(repeated).toBe(10_000)
  expect(refusals.rowsFor(questionOf('limit 0', 'key 1499'), 0)).toHaveLength(1)
  expect(refusals.rowsFor(questionOf('limit 0', 'key 0'), 0)).toBeUndefined()
})

it('recent refusals of a policy that is asked no more go once they are over, two with each question of any other', () => {
  for (let i = 0; i < 100; i++) refuse('busy before', `key ${i}`, 0)
  refuse('other', 'late', forUs / 2)
  refusals.rowsFor(questionOf('third', 'alex'), forUs - 1)
  expect(refusals.size).toBe(101)
  for (let asked = 1; asked <= 60; asked++) refusals.rowsFor(questionOf('third', 'alex'), forUs)
  expect(refusals.size).toBe(1)
})

it('where the latest of them is over, the next question drops all recent refusals', () => {
  for (let id = 0; id < 20; id++) for (let i = 0; i < 100; i++) refuse(`limit ${id}`, `key ${i}`, i)
  refusals.rowsFor(questionOf('third', 'alex'), forUs + 99)
  expect(refusals.size).toBe(0)
  refuse('limit 0', 'key 0', forUs + 100)
  expect(refusals.rowsFor(questionOf('limit 0', 'key 0'), forUs + 100)).toHaveLength(1)
})

it('a lost connection, a change and other numbers drop the recent refusals that they concern', async () => {
  for (const id of ['a', 'b']) for (const key of ['x', 'y', 'z']) refuse(id, key, 0)
  await refusals.during(questionOf('a', 'x').checks, async () => refuse('a', 'x', 0))
  expect(refusals.size).toBe(5)
  const [check] = questionOf('b', 'x').checks
  const other = {
    ...questionOf('b', 'x'),
    checks: [{ ...check, policy: fixedWindow({ limit: 2, window: '1h' }) }],
  }
  refusals.rowsFor(other as Question, 0)
  expect(refusals.size).toBe(2)
  refusals.forgetAll()
  expect(refusals.size).toBe(0)
})

const asked = questionOf('limit', 'alex')

it('a refusal that is repeated says the wait and the reset as they are then', () => {
  refuse('limit', 'alex', 0)
  expect(refusals.rowsFor(asked, 400_000)?.[0]).toMatchObject({
    retryAfterUs: 3_599_600_000,
    resetAfterUs: 3_599_600_000,
  })
})

it('a refusal is repeated up to the instant at which its wait is over, and not at it', () => {
  const short = { ...row, retryAfterUs: 500_000 }
  refusals.heard(asked, [short], { clock, serverUs: 0, localUs: 0 })
  expect(refusals.rowsFor(asked, 499_999)?.[0]?.retryAfterUs).toBe(1)
  expect(refusals.rowsFor(asked, 500_000)).toBeUndefined()
})

it('a refusal is repeated for its time, and no longer, though it still has to go', () => {
  // The two before it go first, and not all are over.
  for (const key of ['bob', 'eve', 'alex']) refuse('limit', key, 0)
  refuse('limit', 'late', forUs - 1)
  expect(refusals.rowsFor(asked, forUs - 1)).toHaveLength(1)
  expect(refusals.rowsFor(asked, forUs)).toBeUndefined()
})

it.each([
  ['reserves', { ...asked, maxWaitUs: 1_000_000 }],
  ['asks for another key too', { ...asked, checks: [...asked.checks, ...questionOf('limit', 'bob').checks] }],
  ['is a part of another one', { ...asked, others: 'unknown' as const }],
])('who asks behind a question that %s, which is under way, comes after it', (_what, question) => {
  refuse('limit', 'alex', 0)
  expect(refusals.rowsFor(question, 0)).toBeUndefined()
  expect(refusals.rowsFor(asked, 0)).toBeUndefined()
})

it('a key that was taken from is asked for again, though a refusal from before came in between', () => {
  const reserving = { ...asked, maxWaitUs: 1_000_000 }
  refusals.rowsFor(reserving, 0)
  refuse('limit', 'alex', 0)
  const reserved = { limit: 1, remaining: 0, retryAfterUs: 0, resetAfterUs: 7_200_000_000 }
  refusals.heard(reserving, [makeRow({ ...reserved, waitUs: 3_600_000_000 }, null, 'taken')], {
    clock,
    serverUs: 0,
    localUs: 0,
  })
  expect(refusals.rowsFor(asked, 0)).toBeUndefined()
})

const window = '1h'
const policies = {
  'a window': policy,
  'an interval': uniform({ interval: window }),
  'places in flight': concurrency({ limit: 1 }),
  'a window that blocks': fixedWindow({ limit: 1, window, blockFor: '2h' }),
  'a window that prolongs': fixedWindow({ limit: 1, window, blockFor: { first: '2h', prolong: true } }),
}

// biome-ignore format: a table
it.each<[Reason, keyof typeof policies, refusedCost: number, cost: number, repeated: boolean]>([
  // reason, policy, cost refused, cost asked, is repeated
  ['limited', 'a window', 1, 1, true],
  ['limited', 'a window', 1, 2, false], // it may be too costly
  ['limited', 'a window', 2, 1, false],
  ['limited', 'an interval', 2, 3, true],
  ['limited', 'an interval', 1, 0, false],
  ['limited', 'a window that blocks', 1, 1, false], // a check begins the block
  ['limited', 'places in flight', 1, 1, false], // they come back early
  ['too-costly', 'a window', 1, 1, false],
  ['blocked', 'a window', 3, 5, true],
  ['blocked', 'a window that blocks', 1, 1, true],
  ['banned', 'a window that blocks', 1, 0, true],
  ['blocked', 'a window that prolongs', 1, 1, false],
])('what was refused as %s by %s at a cost of %i is repeated at a cost of %i: %j', (reason, name, refusedCost, cost, repeated) => {
  const at = (cost: number): Question => questionOf('limit', 'alex', { policy: policies[name], cost })
  const refused = makeRow({ limit: 1, remaining: 0, retryAfterUs: 1_000_000, resetAfterUs: 1_000_000 }, reason, '')
  refusals.heard(at(refusedCost), [refused], { clock, serverUs: 0, localUs: 0 })
  expect(refusals.rowsFor(at(cost), 0) !== undefined).toBe(repeated)
})

it('a look at an unknown key begins nothing, so the wait that it says is not repeated', () => {
  const bucket = tokenBucket({ capacity: 1, count: 1, period: window, start: 'empty' })
  const check = questionOf('limit', 'alex', { policy: bucket })
  refusals.heard({ ...check, take: false }, [row], { clock, serverUs: 0, localUs: 0 })
  expect(refusals.rowsFor(check, 0)).toBeUndefined()
  refusals.heard(check, [row], { clock, serverUs: 0, localUs: 0 })
  expect(refusals.rowsFor(check, 0)).toHaveLength(1)
})

it('a refusal of a question with another key is repeated for neither', () => {
  const both = { ...asked, checks: [...asked.checks, ...questionOf('other', 'alex').checks] }
  refusals.heard(both, [row, row], { clock, serverUs: 0, localUs: 0 })
  expect(refusals.size).toBe(0)
})

it('refusals of a policy whose numbers have changed once are not kept any more', () => {
  refusals.rowsFor(asked, 0)
  refusals.rowsFor(questionOf('limit', 'alex', { policy: policies['an interval'] }), 0)
  refuse('limit', 'alex', 0)
  expect(refusals.rowsFor(asked, 0)).toBeUndefined()
})

it('while one of two changes of a key goes on, no refusal of it is kept', async () => {
  const ends: (() => void)[] = []
  const change = () => refusals.during(asked.checks, () => new Promise<void>((resolve) => ends.push(resolve)))
  const [first, second] = [change(), change()]
  ends[0]?.()
  await first
  refuse('limit', 'alex', 0)
  expect(refusals.size).toBe(0)
  ends[1]?.()
  await second
  refuse('limit', 'alex', 0)
  expect(refusals.size).toBe(1)
})

it('a server whose clock was set back is asked anew: it has never said so long a wait', () => {
  const serverClock = new ServerClock()
  refusals.heard(asked, [row], { clock: serverClock, serverUs: 0, localUs: 0 })
  serverClock.observe(-5_000_000, 100, 100)
  expect(refusals.rowsFor(asked, 200)).toBeUndefined()
})

it('what another process has done to a key by hand is asked for again, and of no other', () => {
  const asked = questionOf('limit', 'key')
  refuse('limit', 'key', 0)
  refuse('limit', 'other', 0)
  refusals.changed(asked.checks)
  expect(refusals.rowsFor(asked, 0)).toBeUndefined()
  expect(refusals.rowsFor(questionOf('limit', 'other'), 0)).toHaveLength(1)
})
