import { spawnSync } from 'node:child_process'
import { describe, expect, it } from '@jest/globals'
import { aFunction, describeOptions, never } from '@sluice/conformance/options'
import { createLimiter, fixedWindow, type Observer } from '@sluice/core'
import { memoryQueue } from '@sluice/queue'
import { AggregatorRegistry, Registry } from 'prom-client'
import { type PrometheusOptions, prometheus } from '../src/index.ts'
import { samplesOf } from './exposition.ts'
import { program } from './programs.ts'

// A program may have to be installed first.
const policy = fixedWindow({ limit: 2, window: '1h' })
const logger = { warn() {}, error() {} }
const numbers = { waiting: 3, running: 2, oldestMs: 1500, done: 7, dead: 1 }

/** Three decisions of a limiter, of which one is refused. */
async function decideThree(observer: Observer): Promise<void> {
  const limiter = createLimiter({ policy, observers: [observer] })
  for (let i = 0; i < 3; i++) await limiter.check('bob')
  await limiter.close()
}

describe('the histogram', () => {
  const decided = async (durationsMs: readonly number[]) => {
    const register = new Registry()
    const observer = prometheus({ register })
    const decision = await createLimiter({ policy }).check('bob')
    for (const durationMs of durationsMs) observer.decided?.(decision, { operation: 'check', durationMs })
    const samples = async (name: string) => samplesOf(register, `sluice_decision_duration_seconds_${name}`)
    const of = (line: string) => /le="(.+)"} (.+)/.exec(line)?.slice(1) ?? []
    const buckets = new Map((await samples('bucket')).map((line) => of(line) as [string, string])) // both groups match
    return { buckets, sum: (await samples('sum'))[0], count: (await samples('count'))[0] }
  }

  it('adds up in seconds, each bucket with what is below it', async () => {
    const { buckets, sum, count } = await decided([0.05, 0.1, 0.100001, 100, 2500])
    const labels = '{limiter="default",source="memory"}'
    expect(['0.0001', '0.00025', '0.075', '0.1', '1', '+Inf'].map((le) => buckets.get(le))).toEqual([
      '2',
      '3',
      '3',
      '4',
      '4',
      '5',
    ])
    expect(Number(sum?.split(' ')[1])).toBeCloseTo(2.600250001, 9)
    expect([sum?.split(' ')[0], count]).toEqual([
      `sluice_decision_duration_seconds_sum${labels}`,
      `sluice_decision_duration_seconds_count${labels} 5`,
    ])
  })

  it('leaves out decisions for which nobody was asked', async () => {
    expect((await decided([0])).count).toBeUndefined()
  })
})

describe('a register', () => {
  it('has one set of metrics of a name: a second one is refused, and leaves nothing behind', async () => {
    const register = new Registry()
    register.registerMetric(
      Object.assign(Object.create(null), { name: 'mine_sleepers', get: async () => ({ values: [] }) }),
    )
    expect(() => prometheus({ register, prefix: 'mine_' })).toThrow(
      expect.objectContaining({
        code: 'SLUICE_OPTION',
        message: expect.stringMatching(
          /^register: expected a registry without mine_sleepers \(one prometheus\(\)/,
        ),
      }),
    )
    expect(register.getMetricsAsArray().length).toBe(1)
    prometheus({ register })
    expect(() => prometheus({ register })).toThrow(
      /^register: expected a registry without sluice_decisions_total/,
    )
    expect(() => prometheus({ register, prefix: 'other:' })).not.toThrow()
  })

  it('that speaks OpenMetrics gets counters as that wants them', async () => {
    const register = new Registry()
    const observer = prometheus({ register })
    await decideThree(observer)
    register.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never) // narrowed to the other one by its constructor
    const text = await register.metrics()
    expect(text).toMatch(/^# TYPE sluice_decisions counter\nsluice_decisions_total\{[^}]+\} 2$/m)
    expect(text).not.toContain('total_total')
  })

  it('of a cluster adds up what its workers have counted', async () => {
    const workers = [new Registry(), new Registry()]
    const queues = [{ name: 'orders', health: async () => numbers }]
    for (const register of workers) await decideThree(prometheus({ register, queues }))
    const all = AggregatorRegistry.aggregate(
      await Promise.all(workers.map((each) => each.getMetricsAsJSON())),
    )
    const text = await all.metrics()
    expect(text).toMatch(/sluice_decisions_total\{.*outcome="allowed".*\} 4/)
    expect(text).toMatch(/sluice_decision_duration_seconds_count\{.*\} 6/)
    expect(text).toContain('sluice_queue_waiting{queue="orders"} 3')
  })

  it('answers what Prometheus takes without a complaint', async () => {
    const register = new Registry()
    const queue = memoryQueue<string>({ name: 'orders', limit: 1, logger })
    const observer = prometheus({ register, queues: [queue] })
    await decideThree(observer)
    const quoted = createLimiter({ name: 'a "name"\\\n', policy, observers: [observer] })
    await quoted.check('bob')
    const { status, stdout, stderr } = spawnSync(program('promtool'), ['check', 'metrics'], {
      input: await register.metrics(),
      encoding: 'utf8',
    })
    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' })
    await quoted.close()
  })
})

describe('queues', () => {
  const names = ['waiting', 'running', 'oldest_age_seconds', 'done_total', 'dead_total']
  const values = async (register: Registry, queue: string) => {
    const lines = await Promise.all(names.map((name) => samplesOf(register, `sluice_queue_${name}`)))
    return lines.flat().flatMap((line) => new RegExp(`queue="${queue}"} (.+)`).exec(line)?.[1] ?? [])
  }

  it('are asked when metrics are collected, those of today', async () => {
    const register = new Registry()
    const today = [memoryQueue<string>({ name: 'orders', limit: 5, logger })]
    prometheus({ register, queues: () => today })
    await today[0]?.offer('tea')
    await today[0]?.offer('milk')
    expect((await samplesOf(register, 'sluice_queue_waiting'))[0]).toBe(
      'sluice_queue_waiting{queue="orders"} 2',
    )
    today.pop()
    expect(await samplesOf(register, 'sluice_queue_waiting')).toEqual([])
  })

  it('say all their numbers in base units', async () => {
    const register = new Registry()
    prometheus({ register, queues: [{ name: 'orders', health: async () => numbers }] })
    expect(await values(register, 'orders')).toEqual(['3', '2', '1.5', '7', '1'])
  })

  it('are one where two objects of one name say the same', async () => {
    const register = new Registry()
    const queue = { name: 'orders', health: async () => numbers }
    prometheus({ register, queues: [queue, { ...queue }] })
    expect(await values(register, 'orders')).toEqual(['3', '2', '1.5', '7', '1'])
  })

  it('say an age of 0 where nothing is left to do', async () => {
    const register = new Registry()
    prometheus({
      register,
      queues: [{ name: 'orders', health: async () => ({ ...numbers, oldestMs: null }) }],
    })
    expect((await values(register, 'orders'))[2]).toBe('0')
  })

  it.each<[string, () => never[]]>([
    ['nothing', () => undefined as never],
    [
      'by throwing',
      () => {
        throw new Error('of no use')
      },
    ],
  ])('of a function that answers %s are none, and the other metrics are there', async (_what, queues) => {
    const register = new Registry()
    await decideThree(prometheus({ register, queues }))
    expect(await register.metrics()).toMatch(/^sluice_decisions_total\{/m)
  })

  it('that are out of reach or do not answer are left out, and hold nothing up', async () => {
    const register = new Registry()
    let asked = 0
    const hung = { name: 'hung', health: () => new Promise<typeof numbers>(() => void asked++) }
    const lost = { name: 'lost', health: () => Promise.reject(new Error('away')) }
    const broken = {
      name: 'broken',
      health() {
        throw new Error('of no use')
      },
    }
    const well = { name: 'well', health: async () => numbers }
    prometheus({ register, queues: [hung, lost, broken, well] })
    const [first] = await Promise.all([values(register, 'well'), register.metrics()])
    expect(first).toEqual(['3', '2', '1.5', '7', '1'])
    expect(await register.metrics()).not.toMatch(/"(hung|lost|broken)"/)
    expect(asked).toBe(1)
  })
})

const share = (value: unknown) => typeof value === 'number' && value > 0 && value <= 1
describeOptions<Registry>({
  name: 'prometheus',
  right: { register: new Registry(), prefix: 'sluice_', nearLimit: 0.8, queues: [], sheddings: [] },
  places: {
    register: never,
    prefix: (value) => typeof value === 'string' && /^([a-zA-Z_:][\w:]*)?$/.test(value),
    nearLimit: share,
    queues: (value) => aFunction(value) || (Array.isArray(value) && value.length === 0),
    sheddings: (value) => Array.isArray(value) && value.length === 0,
  },
  make(options) {
    const right = options as PrometheusOptions // or what is tried out in their place
    const register = right.register instanceof Registry ? new Registry() : right.register
    prometheus({ ...right, register })
    return register as Registry // else it would have thrown
  },
  async judge(register) {
    expect(await register.metrics()).toContain('store_failures_total counter')
  },
})
