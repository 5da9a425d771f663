import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import {
  type Duration,
  fixedWindow,
  gcra,
  leakyBucket,
  type Policy,
  type StoreRows,
  slidingWindowCounter,
  tokenBucket,
  uniform,
} from '../../src/index.ts'
import { stateName } from '../../src/key.ts'
import { passOn } from '../../src/redis/connection.ts'
import { fromIoredis } from '../../src/redis/connections.ts'
import { RedisStore } from '../../src/redis/store.ts'
import type { Check, Question } from '../../src/store.ts'
import { noting } from './noted-arguments.ts'
import { checkOf, question } from './real-store.ts'
import { standing } from './standing.ts'

const window = '1h'
const usual: readonly Policy[] = [
  gcra({ count: 3, period: window }),
  fixedWindow({ limit: 3, window }),
  fixedWindow({ limit: 2000, window, start: 'clock' }),
  slidingWindowCounter({ limit: 3, window }),
  tokenBucket({ capacity: 3, count: 3, period: window }),
  leakyBucket({ capacity: 3, count: 3, period: window }),
]

let client: Redis
/** Knows the policies as parts of the program, and how each of its calls was made. */
let store: RedisStore
/** Knows nothing of them. */
let general: RedisStore
let calls: (readonly unknown[])[] = []

beforeAll(() => {
  client = new Redis({ path: socket })
  const connection = noting(fromIoredis(client), (args) => calls.push(args))
  store = new RedisStore({ prefix: '', deadlineUs: 0, connection, clock: standing })
  general = new RedisStore({
    connection: fromIoredis(client),
    prefix: 'general:',
    deadlineUs: 0,
    clock: standing,
  })
})

afterAll(async () => {
  await store.close()
  await general.close()
  client.disconnect()
})

/** What does not depend on the instant, which two stores do not share. */
function seenOf(rows: StoreRows) {
  const seen = rows.map(({ allowed, reason, limit, remaining, receipt }) => ({
    allowed,
    reason,
    limit,
    remaining,
    took: receipt !== '',
  }))
  return Object.assign(seen, { summary: rows.summary?.slice(0, 3) })
}

const newKey = () => checkOf(gcra({ count: 1, period: window })).key

/** All in one call, or in several where a script was held up before. */
async function together(of: RedisStore, asked: readonly Question[]) {
  calls = []
  return (await Promise.all(asked.map((each) => of.answer(each)))).map(seenOf)
}

async function sameAsGeneral(asked: readonly Question[]) {
  const rows = await together(store, asked)
  expect(calls).not.toEqual([])
  for (const args of calls) expect(args).toEqual([0, ''])
  expect(rows).toEqual(await together(general, asked))
  return rows
}

const questionOf = (checks: readonly Check[]): Question => ({
  checks,
  charge: 'all-or-nothing',
  maxWaitUs: 0,
  take: true,
})

describe('a window of a thousand units and more', () => {
  const policy = fixedWindow({ limit: 1004, window })
  const after = async (used: number) => {
    store.prepare([policy], { constant: true })
    const check = checkOf(policy)
    for (const each of [store, general]) await each.answer(question({ ...check, cost: used }))
    return check
  }

  it('goes on in a batch', async () => {
    const check = await after(997)
    for (let round = 0; round < 3; round++)
      await sameAsGeneral([check, check, check].map((each) => question(each)))
    expect(await client.get(stateName(check))).toMatch(/^\d{16}:1004$/)
    const lifeMs = await client.pttl(stateName(check))
    expect(lifeMs).toBeGreaterThan(0)
    expect(lifeMs).toBeLessThanOrEqual(3_600_000)
  })

  it('is answered in the short form as long as it has room', async () => {
    const check = await after(997)
    const replies: unknown[] = []
    const connection = fromIoredis(client)
    connection.runFor = (script, { keys, args }, listener) => {
      const run = async () => {
        const reply = await connection.run(script, keys, args)
        replies.push(typeof reply)
        return reply
      }
      passOn(run(), listener)
    }
    const heard = new RedisStore({ prefix: '', deadlineUs: 0, connection })
    heard.prepare([policy], { constant: true })
    const left: unknown[] = []
    for (let i = 0; i < 8; i++) left.push((await heard.answer(question(check)))[0]?.remaining)
    expect(left).toEqual([6, 5, 4, 3, 2, 1, 0, 0])
    expect(replies).toEqual([...Array(7).fill('string'), 'object'])
  })
})

it('counts each of some thousands of questions for one key', async () => {
  const policy = fixedWindow({ limit: 10_000, window })
  store.prepare([policy], { constant: true })
  const check = checkOf(policy)
  const asked = Array.from({ length: 4000 }, () => question(check))
  const rows = await together(store, asked)
  expect(rows.map(([row]) => row?.remaining)).toEqual(asked.map((_each, i) => 9999 - i))
  expect(await client.get(stateName(check))).toMatch(/^\d{16}:4000$/)
})

it('counts each question for one key where MGET is forbidden', async () => {
  const user = `no-mget-${newKey()}`
  await client.acl('SETUSER', user, 'on', '>secret', 'allkeys', '+@all', '-mget')
  const bound = new Redis({ path: socket, username: user, password: 'secret' })
  const policy = fixedWindow({ limit: 10, window })
  const own = new RedisStore({ prefix: '', deadlineUs: 0, connection: fromIoredis(bound), clock: standing })
  own.prepare([policy], { constant: true })
  const check = checkOf(policy)
  const left: unknown[] = []
  for (let round = 0; round < 2; round++) {
    const asked = [check, check, check].map((each) => question(each))
    left.push(...(await together(own, asked)).map(([row]) => row?.remaining))
  }
  expect(left).toEqual([9, 8, 7, 6, 5, 4])
  expect(await client.get(stateName(check))).toMatch(/^\d{16}006$/)
  await own.close()
  bound.disconnect()
  await client.acl('DELUSER', user)
})

it('opens a window anew and counts on in it in one batch, where the server still has the key', async () => {
  const policy = fixedWindow({ limit: 5, window })
  store.prepare([policy], { constant: true })
  const check = checkOf(policy)
  const overUs = Date.now() * 1000 - 60_000_000
  for (const prefix of ['', 'general:'])
    await client.set(`${prefix}${stateName(check)}`, `${overUs}004`, 'PX', 60_000)
  const rows = await sameAsGeneral([check, check, check].map((each) => question(each)))
  expect(rows.map(([row]) => row?.remaining)).toEqual([4, 3, 2])
  expect(await client.get(stateName(check))).toMatch(/^\d{16}003$/)
  expect(await client.pttl(stateName(check))).toBeGreaterThan(60_000)
})

describe('a batch of plain checks of one limiter is keys and two instants', () => {
  it.each(usual)('$strategy', async (policy) => {
    store.prepare([policy], { constant: true })
    const [one, other] = [checkOf(policy), checkOf(policy)]
    // One key several times, beyond its limit too, and others behind it.
    for (let round = 0; round < 3; round++)
      await sameAsGeneral([one, other, one, checkOf(policy), one].map((check) => question(check)))
  })

  it.each([
    ['of one strategy', [gcra({ count: 2, period: window }), gcra({ count: 5, period: window })]],
    ['of several strategies', usual],
  ])('several policies, %s', async (_title, policies) => {
    store.prepare(policies, { constant: true })
    const ofKey = (key: string) =>
      questionOf(
        policies.map((policy, i) => checkOf(policy, { key, id: `constant:p${i}:${policy.strategy}` })),
      )
    const [one, other] = [newKey(), newKey()]
    for (let round = 0; round < 3; round++) await sameAsGeneral([one, other, one, one].map(ofKey))
  })

  it.each<[string, readonly Duration[]]>([
    ['the first', ['4h', window, '2h']],
    ['another', [window, '2h', '4h']],
  ])('the summary has the longest reset, of %s policy', async (_title, windows) => {
    const policies = windows.map((each) => fixedWindow({ limit: 5, window: each }))
    store.prepare(policies, { constant: true })
    const key = newKey()
    const asked = questionOf(policies.map((policy, i) => checkOf(policy, { key, id: `reset:p${i}` })))
    for (const rows of await Promise.all([store.answer(asked), store.answer(asked)])) {
      const longestUs = Math.max(...rows.map(({ resetAfterUs }) => resetAfterUs))
      expect(longestUs).toBeGreaterThan(14_000_000_000)
      expect(rows.summary?.[4]).toBe(Math.trunc(longestUs / 1_000_000))
    }
  })

  it('an interval of few microseconds has a mark of three digits', async () => {
    const policy = gcra({ count: 200_000, period: '1s', burst: 10_000_000 })
    store.prepare([policy], { constant: true })
    const [one, other] = [checkOf(policy), checkOf(policy)]
    // Five seconds' worth, as the key would be gone in a millisecond otherwise.
    for (const each of [store, general])
      for (const check of [one, other]) await each.answer(question({ ...check, cost: 1_000_000 }))
    await together(
      store,
      [one, other].map((check) => question(check)),
    )
    for (const check of [one, other]) expect(await client.get(stateName(check))).toMatch(/^-\d{16}050$/)
  })

  it('a busy key of gcra says so, is counted on by additions, and lives sixteen intervals longer at most', async () => {
    const intervalMs = 10_000
    const policy = gcra({ count: 30, period: 30 * intervalMs })
    store.prepare([policy], { constant: true })
    const [one, other] = [checkOf(policy), checkOf(policy)]
    const remaining: unknown[] = []
    for (let used = 1; used <= 30; used++) {
      // In turns alone and with another key, which comes twice.
      const checks = used % 2 === 0 ? [one] : [one, other, other]
      const asked = checks.map((check) => question(check))
      const [rows, expected] = [await together(store, asked), await together(general, asked)]
      expect(rows).toEqual(expected)
      remaining.push(rows[0]?.[0]?.remaining)
      const text = (await client.get(stateName(one))) ?? ''
      expect(text.startsWith('-')).toBe(used >= 17)
      const lifeMs = await client.pttl(stateName(one))
      const dueMs = Number(text.replace('-', '').slice(0, 13)) - Date.now()
      expect(lifeMs).toBeGreaterThanOrEqual(dueMs - 1)
      expect(lifeMs).toBeLessThanOrEqual(dueMs + 16 * intervalMs + 1000)
    }
    expect(remaining).toEqual(Array.from({ length: 30 }, (_, i) => 29 - i))
    const [refused] = await together(store, [question(one)])
    expect(refused?.[0]).toMatchObject({ allowed: false, reason: 'limited' })
    // All that finds a busy key reads it as any other.
    for (const each of [store, general])
      await each.adjust([{ check: one, receipt: null, byUnits: -7, reward: true }])
    expect(await client.get(stateName(one))).toMatch(/^\d{16}:/)
    const [rewarded] = await together(store, [question({ ...one, cost: 2 })])
    expect(rewarded?.[0]?.remaining).toBe(5)
  })

  it('a limiter of more than sixteen policies is asked the general way', async () => {
    const policies = Array.from({ length: 17 }, (_, i) => fixedWindow({ limit: 5 + i, window }))
    const ofKey = (many: readonly Policy[]) => {
      const key = newKey()
      return questionOf(many.map((policy, i) => checkOf(policy, { key, id: `many:p${i}` })))
    }
    for (const many of [policies.slice(1), policies]) store.prepare(many, { constant: true })
    await sameAsGeneral([ofKey(policies.slice(1)), ofKey(policies.slice(1))])
    await together(store, [ofKey(policies), ofKey(policies)])
    expect(calls).not.toEqual([])
    for (const args of calls) expect(args.length).toBeGreaterThan(2)
  })

  it('a question of several policies that goes alone has the same script', async () => {
    const policies = [gcra({ count: 4, period: window }), fixedWindow({ limit: 2, window })]
    store.prepare(policies, { constant: true })
    const key = newKey()
    const asked = questionOf(
      policies.map((policy, i) => checkOf(policy, { key, id: `alone:p${i}:${policy.strategy}` })),
    )
    const remaining: unknown[] = []
    for (let nth = 0; nth < 3; nth++) {
      const [rows] = await sameAsGeneral([asked])
      remaining.push(rows?.map((row) => row.remaining))
    }
    // The third is refused by the window, and takes nothing of the other.
    expect(remaining).toEqual([
      [3, 1],
      [2, 0],
      [2, 0],
    ])
  })
})

describe('what is not usual is decided in the same call', () => {
  const policy = gcra({ count: 2, period: window })
  beforeAll(() => store.prepare([policy], { constant: true }))

  it('a key that is blocked, and one that is free again behind its block', async () => {
    const [blocked, free] = [checkOf(policy), checkOf(policy)]
    for (const each of [store, general]) {
      await each.manage({ op: 'block', check: blocked, us: 60_000_000 })
      await each.answer(question(free))
    }
    const rows = await sameAsGeneral([free, blocked, free, checkOf(policy)].map((check) => question(check)))
    expect(rows.map(([row]) => row?.reason)).toEqual([null, 'blocked', 'limited', null])
  })

  it.each(['a text of somebody else', 'nineteen characters'])(
    'a key that holds "%s" fails alone',
    async (text) => {
      const [before, foreign, behind] = [checkOf(policy), checkOf(policy), checkOf(policy)]
      await client.set(stateName(foreign), text)
      const answers = await Promise.allSettled(
        [before, foreign, behind].map((check) => store.answer(question(check))),
      )
      expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(await client.get(stateName(foreign))).toBe(text)
      await expect(store.answer(question(foreign))).rejects.toThrow('no strategy wrote')
    },
  )

  it('a look, another cost, a shadow and another limiter go the general way', async () => {
    const check = checkOf(policy)
    const others = [
      question(check, false),
      question({ ...check, cost: 2 }),
      question({ ...check, shadow: true }),
      { ...question(check), charge: 'every-level' as const },
      { ...question(check), maxWaitUs: 1000 },
      question(checkOf(uniform({ interval: '1s' }))),
    ]
    for (const each of others) {
      await together(store, [question(checkOf(policy)), each])
      expect(calls).toHaveLength(1)
      expect(calls[0]?.length).toBeGreaterThan(2)
    }
  })
})

it('a server that is full refuses each, and takes nothing of any', async () => {
  const policies = [gcra({ count: 9, period: window }), gcra({ count: 8, period: window })]
  store.prepare(policies, { constant: true })
  const key = newKey()
  const asked = questionOf(policies.map((policy, i) => checkOf(policy, { key, id: `full:p${i}:g` })))
  await store.answer(asked)
  const other = questionOf(asked.checks.map((check) => ({ ...check, key: `${key}-other` })))
  const [, before] = await client.config('GET', 'maxmemory')
  await client.config('SET', 'maxmemory', '1')
  const answers = await Promise.allSettled([asked, asked, other].map((each) => store.answer(each)))
  await client.config('SET', 'maxmemory', before ?? '0')
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  const [rows] = await together(store, [asked])
  expect(rows?.map(({ remaining }) => remaining)).toEqual([7, 6])
})
