import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { RedisProcess } from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import { createLimiter, fixedWindow, redisStore } from '../../src/index.ts'

let server: RedisProcess
beforeAll(async () => {
  server = await RedisProcess.prepare()
  await server.start()
})
afterAll(() => server.end())

it('a client whose automatic pipeline was lost with its connection, and is never answered, is asked all the same', async () => {
  const client = new Redis({
    port: server.port,
    enableAutoPipelining: true,
    autoResendUnfulfilledCommands: false,
  })
  try {
    await client.ping()
    // It is sent at the end of this turn, and its connection breaks before it can be answered.
    void client.get('of the application')
    await setImmediate()
    client.stream.destroy()
    await once(client, 'ready')

    const logger = { warn: () => {}, error: () => {} }
    const policy = fixedWindow({ limit: 3, window: '1h' })
    const limiter = createLimiter({ store: redisStore(client, { deadline: '1s' }), policy, logger })
    await limiter.ready()
    expect((await limiter.check('bob')).source).toBe('redis')
    await limiter.close()
  } finally {
    client.disconnect()
  }
})
