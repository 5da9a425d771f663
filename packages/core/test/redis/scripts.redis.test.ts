import { afterAll, describe, expect, it } from '@jest/globals'
import { concurrency, gcra, uniform } from '../../src/index.ts'
import { fromIoredis } from '../../src/redis/connections.ts'
import { ConstantScripts } from '../../src/redis/constant-calls.ts'
import { RedisStore } from '../../src/redis/store.ts'
import { noting } from './noted-arguments.ts'
import { checkOf, policies, question, realStore } from './real-store.ts'

const { store, client } = realStore()
afterAll(() => client.disconnect())

describe('the script of a policy whose numbers are part of the program', () => {
  const each = [...policies, gcra({ count: 5, period: '1h' })]

  it.each(each)('gets a key and an instant, or all numbers: $strategy', async (policy) => {
    const isPlain = !['attributedWindow', 'concurrency', 'fairShare', 'slidingWindowLog'].includes(
      policy.strategy,
    )
    const calls: (readonly unknown[])[] = []
    const connection = noting(fromIoredis(client), (args) => calls.push(args))
    const own = new RedisStore({ connection, prefix: '', deadlineUs: 0 })
    own.prepare([policy], { constant: true })
    const check = checkOf(policy)
    const rows = await own.answer(question(check))
    const others = await store.answer(question(checkOf(policy)))
    expect(rows.map(({ allowed, remaining }) => ({ allowed, remaining }))).toEqual(
      others.map(({ allowed, remaining }) => ({ allowed, remaining })),
    )
    await own.close()
    expect(calls).toEqual([isPlain ? [0] : expect.arrayContaining(['all'])])
  })

  it('is not asked for another cost, a look, a shadow, or levels', async () => {
    const policy = gcra({ count: 5, period: '1h' })
    const own = new RedisStore({ connection: fromIoredis(client), prefix: '', deadlineUs: 0 })
    own.prepare([policy], { constant: true })
    const check = checkOf(policy)
    const asked = [
      question({ ...check, cost: 2 }),
      question(check, false),
      question({ ...check, shadow: true }),
      { ...question(check), charge: 'every-level' as const },
      question(check),
    ]
    const remaining: unknown[] = []
    for (const each of asked) remaining.push((await own.answer(each))[0]?.remaining)
    expect(remaining).toEqual([3, 3, 2, 1, 0])
  })

  it('finds the units of a slower rate, and not their time', async () => {
    const [slow, fast] = [gcra({ count: 10, period: '20h' }), gcra({ count: 10, period: '10h' })]
    const own = new RedisStore({ connection: fromIoredis(client), prefix: '', deadlineUs: 0 })
    own.prepare([slow, fast], { constant: true })
    const check = checkOf(slow)
    const remaining: unknown[] = []
    for (const policy of [slow, slow, slow, fast])
      remaining.push((await own.answer(question({ ...check, policy })))[0]?.remaining)
    expect(remaining).toEqual([9, 8, 7, 6])
  })

  it('has none for the 65th policy of a process', () => {
    const scripts = new ConstantScripts()
    const made = Array.from({ length: 65 }, (_, i) => scripts.add(gcra({ count: i + 1, period: '1h' })))
    expect(made.filter((script) => script === undefined)).toHaveLength(1)
    expect(made.at(-1)).toBeUndefined()
  })
})

describe('a server that has lost its scripts', () => {
  it.each(policies)('is sent them again, and charges once: $strategy', async (policy) => {
    const check = checkOf(policy)
    await client.script('FLUSH')
    const rows = await store.answer(question(check))
    await client.script('FLUSH')
    await store.adjust([{ check, receipt: null, byUnits: 1 }])
    await client.script('FLUSH')
    const sight = await store.manage({ op: 'inspect', check })
    expect(rows).toHaveLength(1)
    expect(sight).toMatchObject({ row: { remaining: 0 }, blockedUs: null })
  })

  it('is sent the one that renews again', async () => {
    const check = checkOf(concurrency({ limit: 1 }))
    const rows = await store.answer(question(check))
    await client.script('FLUSH')
    expect(await store.renew([{ check, receipt: rows[0]?.receipt ?? '' }])).toEqual(['held'])
  })

  it('answers all who ask at once', async () => {
    await client.script('FLUSH')
    const check = checkOf(uniform({ interval: '1h' }))
    const answers = await Promise.all(Array.from({ length: 20 }, () => store.answer(question(check))))
    expect(answers.flatMap((rows) => rows.filter(({ allowed }) => allowed))).toHaveLength(1)
  })
})
