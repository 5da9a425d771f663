import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { RedisProcess, until } from '@sluice/faults/outage'
import { served } from '../served.ts'

const limits =
  'schema: { shop: { children: { user: { children: { "*": { limits: { strategy: slidingWindowLog, limit: 50, window: 1h } } } } } } }'
let redis: RedisProcess
beforeAll(async () => {
  redis = await RedisProcess.prepare()
  await redis.start()
})
afterAll(() => redis.kill())

it('while Redis is away every call is answered in time by the numbers of this process, and is exact afterwards', async () => {
  const { server, client, end } = await served(limits, { redis: redis.url })
  const ask = (user: string) =>
    client.limit(
      { domain: 'shop', descriptors: [{ entries: [{ key: 'user', value: user }] }] },
      { deadline: Date.now() + 2000 },
    )
  expect((await ask('ann')).overall_code).toBe('OK')
  await redis.kill()
  const answers = []
  for (let i = 0; i < 60; i++) answers.push(await ask('bob'))
  // At most one limit for this process; none fails, and none waits longer than its deadline.
  expect(answers.filter(({ overall_code }) => overall_code === 'OK')).toHaveLength(50)
  expect(server.health().status).not.toBe('ok')
  expect(await client.check({ service: '' })).toEqual({ status: 'SERVING' })
  await redis.start()
  await until(
    async () => {
      await ask('probe')
      return server.health().status === 'ok'
    },
    { what: 'the end of the outage' },
  )
  const after = await Promise.all(Array.from({ length: 80 }, () => ask('carol')))
  expect(after.filter(({ overall_code }) => overall_code === 'OK')).toHaveLength(50)
  await end()
})
