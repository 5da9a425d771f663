import { randomBytes } from 'node:crypto'
import { afterAll, expect, it } from '@jest/globals'
import { runs } from '@sluice/conformance/internal'
import { aFunction, count, describeOptions, never, nonsense } from '@sluice/conformance/options'
import { createLimiter, fixedWindow } from '@sluice/core'
import { socket } from '@sluice/faults/redis-socket'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import {
  type MemorySinkOptions,
  memorySink,
  type RecorderOptions,
  type RedisSinkOptions,
  recorder,
  redisSink,
  type Sink,
  timeSeriesSink,
} from '../src/index.ts'
import { silent } from './moved-recorder.ts'
import { sample, span } from './sinks/describe-sink.ts'

const redis = new Redis({ path: socket })
afterAll(() => redis.disconnect())

/** A time of at least so many milliseconds. */
const time = (leastMs: number) => (value: unknown) =>
  typeof value === 'number' && value >= leastMs && value < 366 * 86_400_000
const prefix = (value: unknown) => typeof value === 'string' && !/[{}]/.test(value)

async function expectKeeps(sink: Sink): Promise<void> {
  const series = `hits:${randomBytes(6).toString('hex')}:p`
  const second = Math.floor(Date.now() / 1000)
  await sink.write([{ ...sample(0, 2, { series }), second }])
  const [points] = await sink.query({ series, fromMs: second * 1000, toMs: second * 1000 + 1, step: '1s' })
  expect(points?.values.reduce((sum, units) => sum + units)).toBe(2)
  await sink.close?.()
}

describeOptions({
  name: 'memorySink',
  right: { retention: '1h' },
  places: { retention: time(0) },
  make: (options) => memorySink(options as MemorySinkOptions),
  judge: expectKeeps,
})

const inRedis = {
  right: { redis, retention: '1h', prefix: 'fuzz:', deadline: '20s' },
  places: { redis: never, retention: time(60_000), prefix, deadline: time(1) },
}

/** Some of these deadlines are so short that the server may miss them. */
async function expectKeepsInTime(sink: Sink): Promise<void> {
  try {
    await expectKeeps(sink)
  } catch (error) {
    expect(error).toMatchObject({ message: expect.stringMatching(/^no answer within \d+ ms$/) })
  }
}

describeOptions({
  name: 'redisSink',
  ...inRedis,
  make: (options) => redisSink(options as RedisSinkOptions),
  judge: expectKeepsInTime,
})

describeOptions({
  name: 'timeSeriesSink',
  ...inRedis,
  make: (options) => timeSeriesSink(options as RedisSinkOptions),
  judge: async (sink) => {
    // This server has no module.
    await expect(sink.query(span([0, 1]))).rejects.toMatchObject({ code: 'SLUICE_STORE' })
    await sink.close?.()
  },
})

describeOptions({
  name: 'recorder',
  right: { series: () => 'a group', maxSeries: 5, logger: silent },
  places: { series: aFunction, maxSeries: count, logger: never, 'logger.warn': aFunction },
  make: (options) => recorder(memorySink(), options as RecorderOptions),
  judge: async (seen) => {
    const policy = fixedWindow({ limit: 3, window: '1h' })
    const limiter = createLimiter({ policy, observers: [seen], logger: silent })
    const fromMs = Date.now()
    await limiter.check('bob')
    const points = await seen.query({ data: 'hits', fromMs, toMs: Date.now() + 1000, step: '1s' })
    expect(points.flatMap(({ values }) => values).reduce((sum, units) => sum + units, 0)).toBe(1)
    await limiter.close()
    await seen.close()
  },
})

it('a recorder on nonsense in place of a sink is reported as wrong', () => {
  const property = fc.property(nonsense, (sink) => {
    expect(() => recorder(sink as Sink)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'sink' }),
    )
  })
  fc.assert(property, runs(400))
})
