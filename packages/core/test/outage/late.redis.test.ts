import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { FaultyServer } from '@sluice/faults/outage'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { createLimiter, fixedWindow, redisStore, type Store } from '../../src/index.ts'
import { silent } from '../cluster/application.ts'
import { eventually } from './within.ts'

const policy = fixedWindow({ limit: 3, window: '1h' })

describe('a server whose replies are late', () => {
  const server = new FaultyServer(socket)
  const witnessClient = new Redis(socket)
  const witnessStore = redisStore(witnessClient)
  let name: string
  let client: Redis
  let store: Store
  beforeAll(() => server.start())
  beforeEach(() => {
    name = randomBytes(6).toString('hex')
    client = new Redis(server.url)
    store = redisStore(client)
  })
  afterEach(() => client.disconnect())
  afterAll(() => {
    witnessClient.disconnect()
    return server.end()
  })

  const limiterOn = (shared: Store) => createLimiter({ name, store: shared, policy, logger: silent })

  type Counting = ReturnType<typeof limiterOn>

  /** One charge that Redis confirms in time, and one that it confirms too late. */
  async function chargeTwice(first: Counting, second: Counting): Promise<void> {
    // The server knows the script, and we its clock.
    await eventually(async () => (await first.check(randomBytes(6).toString('hex'))).source === 'redis')
    expect(await first.check('bob')).toMatchObject({ source: 'redis', remaining: 2 })
    server.become({ fault: 'hold answers' })
    expect(await second.check('bob')).toMatchObject({ source: 'fallback' })
    server.become({ fault: 'none' })
    await eventually(() => store.health?.().lateReplies === 1)
    // Asked behind what was given back, on the same connection.
    expect(await first.check('alice')).toMatchObject({ source: 'redis' })
  }

  it.each<[string, number]>([
    ['one limiter', 1],
    ['two limiters that share a client', 2],
  ])(
    'is given back once what it took for a request of %s that was answered elsewhere',
    async (_who, count) => {
      const first = limiterOn(store)
      const second = count === 1 ? first : limiterOn(redisStore(client))
      await chargeTwice(first, second)
      expect(await limiterOn(witnessStore).peek('bob')).toMatchObject({ source: 'redis', remaining: 2 })
    },
  )
})
