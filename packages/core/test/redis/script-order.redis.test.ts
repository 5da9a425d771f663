import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { connectGlide, RestFront } from '@sluice/faults'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { type Check, fixedWindow, type StoreRow, slidingWindowLog } from '../../src/index.ts'
import type { Connection } from '../../src/redis/connection.ts'
import { fromIoredis, fromNodeRedis, fromRest } from '../../src/redis/connections.ts'
import { RedisStore } from '../../src/redis/store.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { checkOf, question } from './real-store.ts'

let own: OwnServer
let front: RestFront
beforeAll(async () => {
  own = await startOwnServer()
  front = new RestFront(own.server.port)
  await front.start()
})
afterAll(async () => {
  await front.end()
  await own.end()
})

interface Opened {
  readonly connection: Connection
  end(): unknown
}

async function ioredis(options: object = {}): Promise<Opened> {
  const client = new Redis({ port: own.server.port, ...options })
  await client.ping()
  return { connection: fromIoredis(client), end: () => client.disconnect() }
}

const clients: { readonly [name: string]: () => Promise<Opened> } = {
  ioredis,
  'ioredis with automatic pipelines': () => ioredis({ enableAutoPipelining: true }),
  'node-redis': async () => {
    const client = createClient({ url: `redis://127.0.0.1:${own.server.port}` })
    await client.connect()
    return { connection: fromNodeRedis(client), end: () => client.destroy() }
  },
  'Valkey GLIDE': () => connectGlide(own.server.port),
  'the REST API': async () => ({
    connection: fromRest({ url: front.url, token: () => front.token, longestMs: 5000 }),
    end: () => {},
  }),
}

const policy = fixedWindow({ limit: 1, window: '1h' })
const other = slidingWindowLog({ limit: 100, window: '1h' })

/** What follows a check that is not awaited, and what the key is like afterwards. */
const followers: {
  readonly [name: string]: { act(store: RedisStore, check: Check): Promise<unknown>; after: object }
} = {
  block: {
    act: (store, check) => store.manage({ op: 'block', check, us: 60e6 }),
    after: { reason: 'blocked', remaining: 0 },
  },
  reset: {
    act: (store, check) => store.manage({ op: 'reset', check }),
    after: { reason: null, remaining: 1 },
  },
  set: {
    act: (store, check) => store.manage({ op: 'set', check, units: 0 }),
    after: { reason: null, remaining: 1 },
  },
  'a penalty': {
    act: (store, check) => store.adjust([{ check, receipt: null, byUnits: 1 }]),
    after: { reason: 'limited', remaining: 0 },
  },
  'a reward': {
    act: (store, check) => store.adjust([{ check, receipt: null, byUnits: -1, reward: true }]),
    after: { reason: null, remaining: 1 },
  },
  'a check by another script': {
    act: async (store, check) => {
      const both = { ...question(check), checks: [check, checkOf(other)] }
      const [row] = await store.answer(both)
      expect(row).toMatchObject({ allowed: false })
    },
    after: { reason: 'limited', remaining: 0 },
  },
}

describe.each(Object.keys(clients))('over %s what one process asks of a key is run in its order', (name) => {
  let opened: Opened
  let store: RedisStore
  beforeEach(async () => {
    opened = await (clients[name] ?? ioredis)()
    store = new RedisStore({ connection: opened.connection, prefix: '', deadlineUs: 0 })
  })
  afterEach(async () => {
    await opened.end()
  })

  /** The server knows only what has come from another process since: the scripts of all that follows. */
  async function loseChecks(): Promise<void> {
    await own.admin.script('FLUSH')
    const process = new RedisStore({ connection: fromIoredis(own.admin), prefix: '', deadlineUs: 0 })
    const check = checkOf(policy)
    for (const { act } of Object.values(followers)) {
      await process.manage({ op: 'set', check, units: 1 })
      await act(process, check)
    }
  }

  async function inOrder(
    act: (store: RedisStore, check: Check) => Promise<unknown>,
    after: object,
  ): Promise<void> {
    const check = checkOf(policy)
    const [rows] = await Promise.all([store.answer(question(check)), act(store, check)])
    expect(rows[0]).toMatchObject({ allowed: true })
    const sight = (await store.manage({ op: 'inspect', check })) as { row: StoreRow }
    expect(sight.row).toMatchObject(after)
  }

  it.each(Object.entries(followers))(
    'where a new server does not know the script of a check before %s',
    async (_, { act, after }) => {
      await loseChecks()
      await inOrder(act, after)
    },
  )

  it.each(Object.entries(followers))(
    'where a flushed server does not, as a call has shown, before %s',
    async (_, { act, after }) => {
      await inOrder(act, after)
      await store.answer(question(checkOf(other)))
      await own.admin.script('FLUSH')
      // It goes by a script of its own, and is refused at first.
      await store.answer(question(checkOf(other)))
      await loseChecks()
      await inOrder(act, after)
    },
  )
})
