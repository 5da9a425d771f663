import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createLimiter, fixedWindow, type Limiter } from '@sluice/core'
import { RedisProcess, until } from '@sluice/faults/outage'
import { type Recorder, recorder, redisSink } from '../../src/index.ts'

const policy = fixedWindow({ limit: 1_000_000, window: '1h' })

let server: RedisProcess
let seen: Recorder
let warned: string[]
let limiter: Limiter<{ readonly default: typeof policy }>
beforeEach(async () => {
  warned = []
  server = await RedisProcess.prepare()
  await server.start()
  const logger = { warn: (line: string) => warned.push(line), error: () => {} }
  seen = recorder(redisSink({ redis: server.url }), { logger })
  limiter = createLimiter({ name: 'zoo', policy, observers: [seen] })
  await check(10)
  await seen.flush()
})
afterEach(async () => {
  await limiter.close()
  await seen.close()
  await server.end()
})

/** Counted in memory: what befalls the recorder's Redis is none of its business. Answers the longest that one took. */
async function check(times: number): Promise<number> {
  let longestMs = 0
  for (let i = 0; i < times; i++) {
    const startedAt = performance.now()
    await limiter.check('bob')
    longestMs = Math.max(longestMs, performance.now() - startedAt)
  }
  return longestMs
}

async function recorded(): Promise<number> {
  const now = seen.nowMs()
  const span = { fromMs: now - 120_000, toMs: now + 5000, step: '1m' } as const
  const points = await seen.query({ series: 'hits:zoo:default', ...span })
  return points.flatMap(({ values }) => values).reduce((sum, units) => sum + units, 0)
}

describe('while the Redis of a recorder', () => {
  it('is gone, units wait, and are written once when it is back', async () => {
    await server.kill()
    for (let i = 0; i < 3; i++) {
      await check(10)
      await seen.flush()
      await new Promise((resolve) => setTimeout(resolve, 700))
    }
    expect(seen.lostUnits).toBe(0)
    await server.start()
    // The killed one had ten of them in its memory alone.
    await until(async () => (await recorded()) === 30, { what: 'what waited' })
    expect([seen.lostUnits, warned]).toEqual([0, []])
  })

  it('hangs, no request waits for it, and what is lost is reported once', async () => {
    server.hang()
    const longestMs = []
    for (let i = 0; i < 12; i++) {
      longestMs.push(await check(10))
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
    server.goOn()
    expect(Math.max(...longestMs)).toBeLessThan(200)
    await until(async () => (await recorded()) + seen.lostUnits >= 130, { what: 'units, kept or lost' })
    // Of a decision there are two series, and a batch whose answer was late may have been written all the same.
    expect((await recorded()) - 130).toBeLessThanOrEqual(0)
    expect(warned.length).toBeLessThanOrEqual(1)
  })
})
