import { afterEach, expect, it } from '@jest/globals'
import { createLimiter, fixedWindow, type Observer, redisStore } from '@sluice/core'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { Registry } from 'prom-client'
import { prometheus } from '../src/index.ts'
import { samplesOf } from './exposition.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

const logger = { warn() {}, error() {} }

/** How many durations of that limiter are counted as the latency of Redis. */
async function timed(register: Registry, limiter: string): Promise<number> {
  const lines = await samplesOf(register, 'sluice_decision_duration_seconds_count')
  const [line = ''] = lines.filter(
    (each) => each.includes(`limiter="${limiter}"`) && each.includes('source="redis"'),
  )
  return Number(line.split(' ')[1] ?? 0)
}

/** A limiter on Redis, and each duration that its observers are given. */
function scene(name: string, about: { limit: number; ahead?: string }) {
  const client = new Redis({ path: socket })
  const register = new Registry()
  const durations: number[] = []
  const watch: Observer = { decided: (_decision, { durationMs }) => void durations.push(durationMs) }
  const store = redisStore(client, {
    refusalCache: '10s',
    deadline: '20s',
    connectDeadline: '20s',
    prefix: `${name}-${process.pid}:`,
  })
  const limiter = createLimiter({
    name,
    policy: fixedWindow({ limit: about.limit, window: '1h' }),
    store,
    logger,
    observers: [prometheus({ register }), watch],
    ...(about.ahead !== undefined && { ahead: about.ahead as '1s' }), // a duration
  })
  ends.push(async () => {
    await limiter.close()
    await store.close()
    client.disconnect()
  })
  return { limiter, register, durations }
}

it('a refusal that is repeated from memory is not counted as the latency of the store', async () => {
  const { limiter, register, durations } = scene('repeated', { limit: 1 })
  await limiter.ready()
  for (let i = 0; i < 50; i++) await limiter.check('bob')
  expect(durations.filter((ms) => ms > 0)).toHaveLength(2)
  expect(await timed(register, 'repeated')).toBe(2)
  const [refused = ''] = (await samplesOf(register, 'sluice_decisions_total')).filter((line) =>
    line.includes('limited'),
  )
  expect(refused).toMatch(/ 49$/)
})

it('neither is a decision from units in hand', async () => {
  const { limiter, register, durations } = scene('in-hand', { limit: 1_000_000, ahead: '1s' })
  await limiter.ready()
  for (let i = 0; i < 200; i++) await limiter.check('bob')
  // Who waits for units that others have asked for waits for the store.
  const atOnce = durations.filter((ms) => ms === 0).length
  expect(atOnce).toBeGreaterThan(0)
  expect(atOnce).toBeLessThanOrEqual(limiter.health().ahead?.decisions ?? 0)
  expect(await timed(register, 'in-hand')).toBe(200 - atOnce)
})
