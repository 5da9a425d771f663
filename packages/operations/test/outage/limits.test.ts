import { expect, it } from '@jest/globals'
import { createLimiter, fixedWindow } from '@sluice/core'
import { RedisProcess, until } from '@sluice/faults/outage'
import { operations } from '../../src/index.ts'

it('while Redis is away, and after it has lost its data, the numbers that were known last hold, and a change ends', async () => {
  const redis = await RedisProcess.prepare([])
  await redis.start()
  const ops = operations({ redis: redis.url })
  const limits = ops.limits({
    free: fixedWindow({ limit: 5, window: '1h' }),
    paid: fixedWindow({ limit: 50, window: '1h' }),
  })
  const limiter = createLimiter({ policies: limits.policies, observers: [ops] })
  const limitOf = async (name: 'free' | 'paid') => (await limiter.peek('bob')).verdicts[name]?.limit
  await limits.set('free', { limit: 2 })
  await limits.set('paid', { limit: 20 }, { for: '3s' })
  await redis.kill()
  await until(async () => (await limitOf('paid')) === 50, { what: 'the end of the change' })
  expect(await limitOf('free')).toBe(2)
  await expect(limits.set('free', { limit: 3 })).rejects.toMatchObject({ code: 'SLUICE_STORE' })
  expect(await limitOf('free')).toBe(2)
  await redis.start()
  await until(async () => (await limits.changed().catch(() => undefined))?.length === 0, {
    what: 'an empty Redis',
  })
  await ops.ready()
  expect(await limitOf('free')).toBe(2)
  await limits.set('paid', { limit: 30 })
  expect(await limitOf('free')).toBe(5)
  expect(await limitOf('paid')).toBe(30)
  await limiter.close()
  await ops.close()
  await redis.end()
})

it('a process that begins while Redis is away has its own numbers, and closes', async () => {
  const redis = await RedisProcess.prepare([])
  const ops = operations({ redis: redis.url })
  const limits = ops.limits({ free: fixedWindow({ limit: 5, window: '1h' }) })
  const limiter = createLimiter({ policies: limits.policies, observers: [ops] })
  await ops.ready()
  expect((await limiter.check('bob')).limit).toBe(5)
  await limiter.close()
  await ops.close()
  await redis.end()
})
