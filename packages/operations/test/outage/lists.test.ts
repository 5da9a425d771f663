import { expect, it } from '@jest/globals'
import { createLimiter, gcra } from '@sluice/core'
import { RedisProcess, until } from '@sluice/faults/outage'
import { operations } from '../../src/index.ts'

it('while Redis is away, and after it has lost its data, the lists stay, and entries end; a change is heard again', async () => {
  const redis = await RedisProcess.prepare([])
  await redis.start()
  const ops = operations({ redis: redis.url })
  const limiter = createLimiter({ policy: gcra({ count: 5, period: '1h' }), lists: [ops.lists] })
  const reason = async (key: string) => (await limiter.peek(key)).reason
  await ops.lists.put({ list: 'deny', key: 'bob' }, '1h')
  await ops.lists.put({ list: 'block', key: 'carol' }, '3s')
  await redis.kill()
  await until(async () => (await reason('carol')) === null, { what: 'the end of the entry' })
  expect(await reason('bob')).toBe('denied')
  await redis.start()
  await until(async () => (await ops.lists.entries().catch(() => undefined))?.length === 0, {
    what: 'an empty Redis',
  })
  await limiter.ready()
  expect(await reason('bob')).toBe('denied')
  await ops.lists.put({ list: 'deny', key: 'eve' }, '1h')
  expect(await reason('eve')).toBe('denied')
  expect(await reason('bob')).toBeNull()
  await limiter.close()
  await ops.close()
  await redis.end()
})
