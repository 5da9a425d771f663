import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { RedisProcess } from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { createLimiter, fixedWindow, redisStore, type Store } from '../../src/index.ts'
import { silent } from '../cluster/application.ts'
import { Admin } from './place.ts'
import { eventually, took } from './within.ts'

/** The deadline, and what a request may wait beyond it. */
const longestMs = 150

const granted = 'ACL SETUSER app reset on >first ~* &* +@all'
const sendAway = 'CLIENT KILL TYPE normal SKIPME yes'

/** What an administrator says at three in the morning. */
const withdrawals: readonly (readonly [string, readonly string[]])[] = [
  ['may no longer run scripts', ['ACL SETUSER app -@scripting']],
  ['may no longer do anything', ['ACL SETUSER app -@all']],
  ['has another password, and is sent away', [granted.replace('>first', '>second'), sendAway]],
  ['is switched off, and sent away', ['ACL SETUSER app off', sendAway]],
  ['is deleted', ['ACL DELUSER app']],
]

let server: RedisProcess
let admin: Admin
beforeAll(async () => {
  server = await RedisProcess.prepare()
  await server.start()
  admin = new Admin(server.port)
})
afterAll(() => {
  admin.end()
  return server.end()
})

/** Run after a test, the last first. */
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const stores: readonly (readonly [string, () => Store])[] = [
  ['its own client', () => redisStore({ url: server.url, username: 'app', password: 'first' })],
  [
    'a client of ioredis',
    () => {
      const client = new Redis({
        port: server.port,
        username: 'app',
        password: 'first',
        disconnectTimeout: 100,
      })
      client.on('error', () => {})
      ends.push(() => client.disconnect())
      return redisStore(client)
    },
  ],
  [
    'a client of node-redis',
    () => {
      const socket = { host: '127.0.0.1', port: server.port }
      const client = createClient({ username: 'app', password: 'first', socket })
      client.on('error', () => {})
      client.connect().catch(() => {})
      ends.push(() => client.destroy())
      return redisStore(client)
    },
  ],
]

describe.each(stores)('a user of the server, over %s', (_title, makeStore) => {
  function limited() {
    const store = makeStore()
    ends.push(() => store.close())
    const policy = fixedWindow({ limit: 10, window: '1h' })
    return createLimiter({ name: randomBytes(4).toString('hex'), store, policy, logger: silent })
  }

  /** One after another; every answer comes in time. */
  async function sources(limiter: ReturnType<typeof limited>, times: number): Promise<string[]> {
    const admitted: string[] = []
    for (let i = 0; i < times; i++) {
      const { value, ms } = await took(() => limiter.check('bob'))
      expect(ms).toBeLessThanOrEqual(longestMs)
      if (value.allowed) admitted.push(value.source)
    }
    return admitted
  }

  it.each(withdrawals)(
    'who %s: nobody waits longer than the deadline, and ten of ten pass',
    async (_, say) => {
      await admin.say(granted)
      const limiter = limited()
      await limiter.ready()
      expect(await sources(limiter, 4)).toEqual(Array(4).fill('redis'))
      await admin.say(...say)
      // One that was under way may still be answered by the server.
      const rest = await sources(limiter, 20)
      expect(rest).toHaveLength(6)
      expect(rest.slice(1)).toEqual(Array(5).fill('fallback'))
      await admin.say(granted)
      await eventually(async () => (await limiter.check(randomBytes(6).toString('hex'))).source === 'redis')
      // What was let through meanwhile is held against bob.
      expect(await sources(limiter, 5)).toEqual([])
    },
  )

  it.each([
    ['may not run scripts', `${granted} -@scripting`],
    ['has another password', granted.replace('>first', '>second')],
  ])('who from the start %s is answered without at once', async (_, say) => {
    await admin.say(say)
    expect(await sources(limited(), 20)).toEqual(Array(10).fill('fallback'))
  })
})
