import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createLimiter, fixedWindow, redisStore } from '@sluice/core'
import { FaultyServer } from '@sluice/faults/outage'
import { socket } from '@sluice/faults/redis-socket'
import { Registry } from 'prom-client'
import { prometheus } from '../../src/index.ts'
import { samplesOf } from '../exposition.ts'

const server = new FaultyServer(socket)
beforeAll(() => server.start())
afterAll(() => server.end())

it('an outage of Redis shows in the metrics from its beginning to its end, once for all limiters', async () => {
  const register = new Registry()
  const observers = [prometheus({ register })]
  const store = redisStore(server.url)
  const policy = fixedWindow({ limit: 1_000_000, window: '1h' })
  const logger = { warn() {}, error() {} }
  const limiters = ['one', 'two'].map((name) => createLimiter({ name, policy, store, observers, logger }))
  const check = () => Promise.all(limiters.map((limiter) => limiter.check('bob')))
  const numberOf = async (metric: string) => {
    const [line = ''] = (await samplesOf(register, metric)).filter((each) => each.includes('store="redis"'))
    return Number(line.split(' ')[1])
  }
  /** Goes on checking until it holds, for as long as a slow machine may take. */
  const until = async (holds: () => Promise<boolean> | boolean) => {
    const giveUp = performance.now() + 10_000
    while (!(await holds())) {
      if (performance.now() > giveUp) throw new Error('not within 10 s')
      await check()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const breaker = () => numberOf('sluice_store_breaker_state')

  await until(async () => (await check()).every(({ source }) => source === 'redis'))
  const begun = await numberOf('sluice_store_failures_total')
  expect(await breaker()).toBe(0)

  server.become({ fault: 'delay', ms: 130 })
  await until(() => (limiters[0]?.health().lateReplies ?? 0) > 0)
  server.become({ fault: 'silence' })
  await until(async () => (await breaker()) > 0)
  expect(await numberOf('sluice_store_breaker_openings_total')).toBeGreaterThan(0)
  expect(await numberOf('sluice_store_failures_total')).toBeGreaterThan(begun)

  server.become({ fault: 'none' })
  await until(async () => (await breaker()) === 0)
  const { lateReplies, failures, fallbackDecisions } = limiters[0]?.health() ?? { lateReplies: -1 }
  expect(await numberOf('sluice_store_late_replies_total')).toBe(lateReplies)
  expect(await numberOf('sluice_store_failures_total')).toBe(failures)
  const without = await samplesOf(register, 'sluice_fallback_decisions_total')
  expect(without.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0)).toBe(fallbackDecisions)
  for (const limiter of limiters) await limiter.close()
  await store.close()
})
