import type { EventEmitter } from 'node:events'
import { afterEach, expect, it, jest } from '@jest/globals'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { createLimiter, fixedWindow, redisStore } from '../../src/index.ts'

const clients = {
  ioredis: async () => {
    const client = new Redis(socket)
    await client.ping()
    return { client, end: () => client.disconnect() }
  },
  'node-redis': async () => {
    const client = createClient({ socket: { path: socket, tls: false } }).on('error', () => {})
    await client.connect()
    return { client, end: () => client.destroy() }
  },
}

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

function listeners(client: EventEmitter): readonly string[] {
  return client.eventNames().map((name) => `${String(name)}: ${client.listenerCount(name)}`)
}

it.each(['ioredis', 'node-redis'] as const)(
  'a closed store leaves no listener on the client of its caller, which may have another one: %s',
  async (name) => {
    const { client, end } = await clients[name]()
    ends.push(end)
    const before = listeners(client)
    for (let i = 0; i < 3; i++) {
      const store = redisStore(client, { deadline: '20s' })
      const limiter = createLimiter({ store, policy: fixedWindow({ limit: 10, window: '1s' }) })
      expect((await limiter.check('listeners')).source).toBe('redis')
      expect(listeners(client)).not.toEqual(before)
      await limiter.close()
      await store.close()
    }
    expect(listeners(client)).toEqual(before)
  },
)

it('a store that is closed again while it closes adds no listener to its socket', async () => {
  const disconnect = jest.spyOn(Redis.prototype, 'disconnect')
  const store = redisStore(`redis://?path=${socket}`, { deadline: '10s' })
  const limiter = createLimiter({ store, policy: fixedWindow({ limit: 10, window: '1s' }) })
  expect((await limiter.check('closed')).source).toBe('redis')
  await Promise.all(Array.from({ length: 20 }, () => store.close()))
  // ioredis adds one each time.
  expect(disconnect).toHaveBeenCalledTimes(1)
})
