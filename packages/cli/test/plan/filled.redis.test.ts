import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createLimiter, redisStore } from '@sluice/core'
import { RedisProcess, serverVersion } from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import { figures } from '../../src/plan/figures.ts'
import { planOf, tableBytes } from '../../src/plan/plan.ts'
import { bound, type Filler, namedAlike, openFiller, plannedBytes, quiet } from './filled.ts'
import { given } from './given.ts'

/** Another server takes other bytes, and a plan says on which its own were measured. */
const { name, major, minor, allocator } = serverVersion()
const { redis, allocator: usual } = figures.on
const isMeasured = name === 'Redis' && redis.startsWith(`${major}.${minor}.`) && allocator === usual
const describeMeasured = isMeasured ? describe : describe.skip
const itMeasured = isMeasured ? it : it.skip

let server: RedisProcess
let filler: Filler
beforeAll(async () => {
  server = await RedisProcess.prepare()
  await server.start()
  filler = await openFiller(server)
})
afterAll(async () => {
  await filler.end()
  await server.end()
})

/** So many beyond a power of two that the last doubling of the tables is over. */
const users = 1250

describeMeasured('a real server with 1,250 keys takes what the plan says', () => {
  // biome-ignore format: a table
  it.each([
    // policy                             checks of each key   rate      length of a key
    ['fixedWindow:100/1h',                1,                   '1/h',    16],
    ['slidingWindowCounter:100/1h',       1,                   '1/h',    16],
    ['gcra:100/1d',                       1,                   '9/h',    16],
    ['gcra:100/1d',                       1,                   '9/h',    36],
    ['tokenBucket:100/1d,capacity=100',   1,                   '9/h',    16],
    ['leakyBucket:100/1d,capacity=100',   1,                   '9/h',    16],
    ['uniform:1h',                        1,                   '1/h',    16],
    ['slidingWindowLog:100/1h',           1,                   '1/h',    16],
    ['slidingWindowLog:100/1h',           5,                   '5/h',     7],
    ['attributedWindow:100/1h',           1,                   '1/h',    16],
    ['attributedWindow:100/1h',           5,                   '5/h',    16],
    ['multiWindow:100/1h,200/12h',        1,                   '2/d',    16],
    ['fixedWindow:100/1h,maxDebt=1m',     1,                   '1/h',    16],
    ['slidingWindowCounter:9/1h,maxDebt=1m', 1,                '1/h',    16],
    ['slidingWindowLog:100/1h,maxDebt=1m', 5,                  '5/h',    16],
    ['multiWindow:9/1h,20/12h,maxDebt=1m', 1,                  '2/d',    16],
    ['fixedWindow:100/1h,unit=0.001',     1,                   '1/h',    16],
    ['slidingWindowCounter:9/1h,unit=0.1', 1,                  '1/h',    16],
    ['gcra:100/1d,unit=0.01',             1,                   '9/h',    16],
    ['tokenBucket:100/1d,capacity=100,unit=0.01', 1,           '9/h',    16],
  ])('%s, %d of each', async (policy, times, rate, keyLength) => {
    const settings = given({ users: String(users), policy: [policy], rate, keyLength: String(keyLength) })
    const { keys, bytes } = await filler.fill(settings, times)
    expect(keys).toBe(users)
    const [planned] = planOf(settings, figures).region.keys
    expect(planned?.count).toBe(users)
    const off = plannedBytes(settings, figures) / bytes - 1
    expect(Math.abs(off)).toBeLessThan(bound)
  })

  it('and so do keys of three policies, which say their names', async () => {
    const policy = ['slidingWindowLog:100/6h', 'gcra:4/1d', 'fixedWindow:1000/1d']
    const settings = given({ users: String(users), policy, rate: '1/6h', keyLength: '20' })
    const { keys, bytes } = await filler.fill(settings, 1)
    expect(keys).toBe(3 * users)
    expect(Math.abs(plannedBytes(settings, figures) / bytes - 1)).toBeLessThan(bound)
  })

  it('and a figure that is off by a tenth is found', async () => {
    const settings = given({ users: String(users), policy: ['gcra:100/1d'], rate: '9/h' })
    const { bytes } = await filler.fill(settings, 1)
    const { gcra } = figures.states
    const wrong = {
      ...figures,
      states: { gcra: { units: [1], bytes: (gcra?.bytes ?? []).map((each) => each * 1.1) } },
    }
    expect(plannedBytes(settings, wrong) / bytes - 1).toBeGreaterThan(bound)
  })
})

itMeasured('while the tables of a server double, they take what the plan says', async () => {
  const client = new Redis(server.url)
  await client.flushall()
  const keys = 2 ** 14
  const used = (info: unknown) => Number(/used_memory:(\d+)/.exec(String(info))?.[1])
  for (let i = 0; i < keys; i += 1024) {
    const some = client.pipeline()
    for (let j = i; j < i + 1024; j++) some.set(`key${j}`, 1, 'PX', 3_600_000)
    await some.exec()
  }
  // Nothing comes between: a server moves keys into the new tables by and by, then frees the old ones.
  const answers = await client.multi().info('memory').set('another', 1, 'PX', 3_600_000).info('memory').exec()
  client.disconnect()
  const [before, , after] = (answers ?? []).map(([, info]) => used(info))
  const old = 2 * 8 * keys
  expect(((after ?? 0) - (before ?? 0) + old) / tableBytes(keys + 1)).toBeCloseTo(1, 2)
})

describe('what goes over the network for a call', () => {
  // biome-ignore format: a table
  it.each([
    // policies                                                 length of a key
    [['gcra:100/1h'],                                           16],
    [['gcra:100/1h'],                                           60],
    [['slidingWindowLog:100/1h'],                               16],
    [['gcra:100/1h', 'gcra:50/1m'],                             16],
    [['slidingWindowLog:100/1h', 'gcra:10/1s', 'fixedWindow:100/1d'], 36],
  ])('%j', async (texts, keyLength) => {
    const settings = given({ policy: texts, rate: '1/h', keyLength: String(keyLength) })
    const { question, answer } = planOf(settings, figures).request
    const sent = await wireBytes(settings)
    expect(Math.abs(question.sum / sent.question - 1)).toBeLessThan(0.05)
    expect(Math.abs(answer.sum / sent.answer - 1)).toBeLessThan(0.05)
  })
})

itMeasured('what a call writes goes to each replica', async () => {
  // Of keys that live on: for one whose time is over replicas get a command too, whenever the server finds it.
  const settings = given({ policy: ['slidingWindowLog:100/1h', 'gcra:100/1h'], rate: '1/h' })
  const replica = connect(server.port)
  replica.resume().write('PSYNC ? -1\r\n')
  await once(replica, 'data')
  const { replicated } = await wireBytes(settings)
  replica.destroy()
  expect(Math.abs(planOf(settings, figures).request.replica.sum / replicated - 1)).toBeLessThan(0.05)
})

/** Of one call among 500, each alone. */
async function wireBytes({ policies, keyLength }: ReturnType<typeof given>) {
  const client = new Redis(server.url)
  await client.flushall()
  const store = redisStore(client, { deadline: '30s' })
  const limiter = createLimiter({ store, policies: namedAlike(policies), logger: quiet })
  for (let i = 0; i < 100; i++) await limiter.check(`warm${i}`)
  const [idle, before] = [await traffic(client), await traffic(client)]
  for (let i = 0; i < 500; i++) await limiter.check(String(i).padStart(keyLength, 'u'))
  const after = await traffic(client)
  await limiter.close()
  await store.close()
  client.disconnect()
  const each = (of: 'input' | 'output' | 'offset') => (after[of] - before[of] - (before[of] - idle[of])) / 500
  return { question: each('input'), answer: each('output'), replicated: each('offset') }
}

async function traffic(client: Redis) {
  const text = await client.info()
  const number = (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(text)?.[1])
  return {
    input: number('total_net_input_bytes'),
    output: number('total_net_output_bytes'),
    offset: number('master_repl_offset'),
  }
}
