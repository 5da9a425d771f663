import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { propertyTimeoutMs, runs } from '@sluice/conformance/internal'
import { RedisProcess, until } from '@sluice/faults/outage'
import { socket } from '@sluice/faults/redis-socket'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import {
  memorySink,
  type RedisSinkOptions,
  redisSink,
  type Sample,
  type Sink,
  type SinkQuery,
} from '../../src/index.ts'
import {
  describeEvents,
  describeSink,
  type SinkUnderTest,
  sample,
  span,
  startSecond,
  subjectOf,
} from './describe-sink.ts'

const redis = new Redis({ path: socket })
const nodeRedis = createClient({ socket: { path: socket, tls: false } })
beforeAll(() => nodeRedis.connect())
afterAll(() => {
  redis.disconnect()
  nodeRedis.destroy()
})

/** No two tests share keys. */
function newPrefix(): string {
  return `test-${randomBytes(6).toString('hex')}:`
}

/** Adds as many more as have the name of the first, but for the number at its end: to write them takes seconds. */
const moreOfTheFirst = `
  local member, second = unpack(redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES'))
  for i = 1, ARGV[1] - 1 do
    redis.call('ZADD', KEYS[1], second, (string.gsub(member, 'many:0', 'many:' .. i)))
  end`

/** A busy machine is no outage. */
function sinkOf(options: RedisSinkOptions): Sink {
  return redisSink({ deadline: '20s', ...options })
}

function onRedis(prefix: string): SinkUnderTest {
  return subjectOf([sinkOf({ redis, prefix }), sinkOf({ redis, prefix })])
}

async function throughNodeRedis(): Promise<SinkUnderTest> {
  const options = { redis: nodeRedis, prefix: newPrefix() }
  return subjectOf([sinkOf(options), sinkOf(options)])
}

for (const describeEach of [describeSink, describeEvents]) {
  describeEach('the sink in plain Redis', async () => onRedis(newPrefix()))
  describeEach('the sink in plain Redis, through node-redis', throughNodeRedis)
}

describe('the sink in plain Redis', () => {
  let prefix: string
  let sink: Sink
  let end: () => Promise<void>
  beforeEach(() => {
    prefix = newPrefix()
    ;({ sink, end } = onRedis(prefix))
  })
  afterEach(() => end())

  /** By two commands of one instant, but for some milliseconds: PEXPIRETIME is there since Redis 7.0 only. */
  async function endOf(key: string): Promise<number> {
    const [[, time] = [], [, leftMs] = []] = (await redis.multi().time().pttl(key).exec()) ?? []
    const [seconds, us] = time as [string, string] // as TIME answers
    return Math.round((Number(seconds) * 1000 + Number(us) / 1000 + Number(leftMs)) / 10) * 10
  }

  it('gives every key a life of its retention behind the slice', async () => {
    const short = sinkOf({ redis, prefix, retention: '10m' })
    await short.write([sample(0, 1), sample(119, 1), sample(120, 1)])
    await short.close?.()
    const keys = await redis.keys(`${prefix}*`)
    const slice = startSecond - (startSecond % 120)
    const lives = await Promise.all(keys.map(async (key) => [key, await endOf(key)] as const))
    const index = `${prefix}sl1:recorded`
    const ends = Object.fromEntries(lives.filter(([key]) => key !== index))
    // Of these three seconds one lies in another slice than the others, wherever the start lies in its own.
    const ofSlice = (first: number) => [`${index}:hits:tiger:visitor:${first}`, (first + 120 + 600) * 1000]
    expect(ends).toEqual(Object.fromEntries(slicesFrom(slice).map(ofSlice)))
    const life = await redis.pttl(index)
    expect(life).toBeGreaterThan(600_000)
    expect(life).toBeLessThanOrEqual(720_000)
  })

  it('gives events a life of its retention, and drops those that are older', async () => {
    const short = sinkOf({ redis, prefix, retention: '10m' })
    const event = (seconds: number) => ({ atMs: (startSecond + seconds) * 1000, text: `${seconds}` })
    await short.addEvents?.([event(-600), event(-599)])
    await short.addEvents?.([event(0)])
    expect((await short.events?.(0))?.map(({ text }) => text)).toEqual(['-599', '0'])
    await short.close?.()
    const life = await redis.pttl(`${prefix}sl1:recorded:events`)
    expect(life).toBeGreaterThan(590_000)
    expect(life).toBeLessThanOrEqual(600_000)
  })

  it('gives each key its life with every count: who dies in between leaves none without', async () => {
    await sink.write([sample(0, 1)]) // the server knows the scripts
    const monitor = await redis.monitor()
    const heard: (readonly [source: string | undefined, words: readonly string[]])[] = []
    monitor.on('monitor', (_at: unknown, words: string[], source?: string) => heard.push([source, words]))
    await sink.write([sample(0, 1), sample(1, 1), sample(600, 2, { series: 'hits:other:p' })])
    // A monitor that has seen this command has seen all before it.
    const last = `${prefix}last`
    const seenAll = new Promise<void>((resolve) => {
      monitor.on('monitor', (_at: unknown, [, key]: string[]) => key === last && resolve())
    })
    await redis.get(last)
    await seenAll
    monitor.disconnect()
    // Two seconds of one hash go by one call; the series' names by a third.
    const calls = heard.filter(
      ([, [command, , , key = '']]) => /^evalsha$/i.test(command ?? '') && key.startsWith(prefix),
    )
    expect(calls).toHaveLength(3)
    // Of one script, which runs whole or not at all, each command comes with the source "lua".
    const written = heard.filter(([, [, key = '']]) => key.startsWith(`${prefix}sl1:recorded`))
    expect(written.filter(([source]) => source !== 'lua')).toEqual([])
    const commands = written.map(([, [command]]) => command)
    const count = ['HINCRBYFLOAT', 'PEXPIREAT']
    const name = ['ZADD', 'PEXPIRE', 'ZREMRANGEBYSCORE', 'ZREMRANGEBYRANK']
    expect(commands).toEqual(expect.arrayContaining([...count, ...name]))
    for (const [at, command] of commands.entries()) {
      if (command === 'HINCRBYFLOAT') expect(commands[at + 1]).toBe('PEXPIREAT')
      if (command === 'ZADD') expect(commands[at + 1]).toBe('PEXPIRE')
    }
  })

  it('names no more than fifty thousand series, the latest', async () => {
    await sink.write([sample(0, 1, { series: 'hits:many:0' })])
    await redis.eval(moreOfTheFirst, 1, `${prefix}sl1:recorded`, 50_000)
    await sink.write([sample(1, 1, { series: 'hits:new:0' }), sample(2, 1, { series: 'hits:new:1' })])
    expect(await redis.zcard(`${prefix}sl1:recorded`)).toBe(50_000)
    expect(await sink.query(span([1, 3], { series: 'hits:new:0' }))).toHaveLength(1)
  })

  it('leaves out what another program has written in its place', async () => {
    await sink.write([sample(0, 1)])
    await redis.zadd(`${prefix}sl1:recorded`, 5e12, 'no JSON', 5e12, '5', 5e12, '["hits:x:y",null]')
    expect(await sink.query(span([0, 1]))).toHaveLength(1)
  })

  it('loses what a key of another type stands in the way of, and that alone', async () => {
    const slice = startSecond - (startSecond % 120)
    await redis.set(`${prefix}sl1:recorded:hits:tiger:visitor:${slice}`, 'mine', 'PX', 60_000)
    const other = sample(0, 2, { series: 'hits:other:p' })
    await expect(sink.write([sample(0, 3), other])).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      units: 3,
      message: expect.stringContaining('WRONGTYPE'),
    })
    expect(await sink.query(span([0, 1], { series: 'hits:other:p' }))).toHaveLength(1)
  })

  it('reads a bounded number of hashes', async () => {
    const many = Array.from({ length: 30 }, (_, i) => sample(0, 1, { series: `hits:many:${i}` }))
    await sink.write(many)
    const day = span([-86_400, 300], { step: '1m' })
    await expect(sink.query(day)).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'query.fromMs' })
    expect(await sink.query({ ...day, series: 'hits:many:1' })).toHaveLength(1)
  })

  it('asks what the server can do once', async () => {
    await sink.write([sample(0, 1)])
    const asked = async () =>
      Number(/cmdstat_command\|info:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0)
    const before = await asked()
    for (let i = 0; i < 3; i++) await sink.write([sample(i, 1)])
    await sink.query(span([0, 3]))
    expect(await asked()).toBe(before)
  })

  it('needs no more commands than its page says, and no keys but its own', async () => {
    const user = `recorder-${randomBytes(6).toString('hex')}`
    const commands =
      '+time +eval +evalsha +hincrbyfloat +pexpireat +zadd +zremrangebyscore +zremrangebyrank +pexpire +zrange +hgetall'
    const rules = `on nopass ~${prefix}sl1:* -@all +info ${commands}`.split(' ')
    await redis.call('ACL', 'SETUSER', user, ...rules)
    const allowed = new Redis({ path: socket, username: user, password: 'any' })
    const bound = sinkOf({ redis: allowed, prefix })
    await bound.nowMs?.()
    await bound.write([sample(0, 3)])
    expect((await bound.query(span([0, 1])))[0]?.values).toEqual([3])
    await bound.addEvents?.([{ atMs: startSecond * 1000, text: 'away' }])
    expect(await bound.events?.(0)).toHaveLength(1)
    await bound.close?.()
    allowed.disconnect()
    await redis.call('ACL', 'DELUSER', user)
  })

  it('takes less than a kilobyte for two minutes of a busy series', async () => {
    const first = startSecond - (startSecond % 120)
    await sink.write(Array.from({ length: 120 }, (_, i) => sample(first - startSecond + i, 1000 + i)))
    const bytes = await redis.call('MEMORY', 'USAGE', `${prefix}sl1:recorded:hits:tiger:visitor:${first}`)
    expect(Number(bytes)).toBeLessThan(1024)
  })

  it('uses a connection of its own, and ends it', async () => {
    const ids = async () =>
      [...String(await redis.client('LIST')).matchAll(/^id=(\d+)/gm)].map(([, id]) => id)
    const before = await ids()
    const bound = sinkOf({ redis, prefix })
    await bound.nowMs?.()
    const own = (await ids()).filter((id) => !before.includes(id))
    expect(own).toHaveLength(1)
    await bound.close?.()
    await until(async () => !(await ids()).includes(own[0]), { what: 'its connection to end' })
  })
})

/** Those that seconds 0, 119 and 120 after the start lie in. */
function slicesFrom(slice: number): readonly number[] {
  const place = startSecond - slice
  return [...new Set([0, 119, 120].map((at) => slice + 120 * Math.floor((place + at) / 120)))]
}

describe('memory and plain Redis', () => {
  const names = ['hits:a:p', 'hits:b:p', 'denied:a:p'] as const
  const anySample: fc.Arbitrary<Sample> = fc
    .record({
      name: fc.constantFrom(...names),
      at: fc.integer({ min: -200, max: 250 }),
      units: fc.integer({ min: -5, max: 50 }),
    })
    .map(({ name, at, units }) => {
      const [data = '', limiter = '', policy = ''] = name.split(':')
      return sample(at, units, { series: name, labels: { data, limiter, policy } })
    })
  const anyQuery: fc.Arbitrary<SinkQuery> = fc
    .record({
      from: fc.double({ min: -300, max: 300, noNaN: true }),
      length: fc.double({ min: 0.1, max: 500, noNaN: true }),
      step: fc.integer({ min: 1, max: 200 }),
      series: fc.option(fc.constantFrom<string>(...names, 'hits:c:p'), { nil: undefined }),
      data: fc.option(fc.constantFrom('hits', 'denied', 'local'), { nil: undefined }),
    })
    .map(({ from, length, step, ...of }) => span([from, from + length], { step: `${step}s`, ...of }))

  it(
    'answer alike, whatever is written and asked',
    async () => {
      const property = fc.asyncProperty(
        fc.array(fc.array(anySample, { maxLength: 20 }), { maxLength: 4 }),
        fc.array(anyQuery, { minLength: 1, maxLength: 4 }),
        async (batches, queries) => {
          const memory = memorySink()
          const { sink, end } = onRedis(newPrefix())
          for (const batch of batches) await Promise.all([memory.write(batch), sink.write(batch)])
          for (const query of queries) expect(await sink.query(query)).toEqual(await memory.query(query))
          await end()
        },
      )
      await fc.assert(property, runs(60))
    },
    propertyTimeoutMs,
  )
})

it('the second that runs is answered too', async () => {
  const { sink, end } = onRedis(newPrefix())
  const second = Math.floor(((await sink.nowMs?.()) ?? 0) / 1000)
  await sink.write([{ ...sample(0, 3), second }])
  const points = await sink.query({ fromMs: (second - 10) * 1000, toMs: (second + 1) * 1000, step: '1s' })
  expect(points.map(({ values }) => values.at(-1))).toEqual([3])
  await end()
})

it('records on a server that has no command COMMAND', async () => {
  const server = await RedisProcess.prepare(['--rename-command', 'COMMAND', ''])
  await server.start()
  const sink = sinkOf({ redis: server.url })
  try {
    await sink.write([sample(0, 1)])
    expect((await sink.query(span([0, 1])))[0]?.values).toEqual([1])
  } finally {
    await sink.close?.()
    await server.end()
  }
})
