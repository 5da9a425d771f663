import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { type AnsweringServer, until } from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import type { Warning } from '../../src/index.ts'
import { readClient } from '../../src/redis/client.ts'
import { RedisStore } from '../../src/redis/store.ts'
import { type Asker, answering, askers, type Reply } from './answering.ts'

const isReplica = { error: "READONLY You can't write against a read only replica." }

/** To scripts; whatever it says, the server tells its time. */
let reply: Reply
let server: AnsweringServer
beforeAll(async () => {
  server = await answering(() => reply)
})
afterAll(() => server.end())

function storeOn(redis: unknown) {
  const store = new RedisStore({ connection: readClient(redis, 60_000).connect(), prefix: '', deadlineUs: 0 })
  const warnings: string[] = []
  let lost = 0
  store.watch({
    event: () => {},
    warned: ({ code }: Warning) => void warnings.push(code),
    lost: () => void lost++,
  })
  return {
    store,
    warnings: () => warnings.filter((code) => code !== 'SLUICE_CLIENT_HALF_OPEN'),
    lost: () => lost,
  }
}

describe.each(Object.keys(askers))('a probe by %s', (name) => {
  let asker: Asker | undefined
  beforeEach(async () => {
    asker = await askers[name]?.(server.url)
  })
  afterEach(() => asker?.end())

  it.each([
    isReplica.error,
    "OOM command not allowed when used memory > 'maxmemory'.",
    "NOPERM this user has no permissions to run the 'evalsha' command",
    'CLUSTERDOWN The cluster is down',
    'LOADING Redis is loading the dataset in memory',
  ])('of a server that tells its time but answers scripts by %s has failed', async (error) => {
    reply = { error }
    const { store } = storeOn(asker?.redis)
    await store.ready()
    await expect(store.probe()).rejects.toThrow(error)
    reply = 1
    // A client may have left the connection on which that was said.
    await until(() => store.probe().then(() => true), { what: 'waiting for a probe that goes well' })
    await store.close()
  })

  it.each<Reply>(['OK', null, 0, [1]])('has failed where a script is answered by %j', async (wrong) => {
    reply = wrong
    const { store } = storeOn(asker?.redis)
    await expect(store.probe()).rejects.toThrow('malformed')
    await store.close()
  })
})

describe('a client of one’s own whose server has become a replica', () => {
  // A URL's client has left, and REST has no connection.
  it.each(Object.keys(askers).filter((name) => name !== 'a URL' && name !== 'REST'))(
    'is warned of once when a second probe meets it: %s',
    async (name) => {
      const asker = await askers[name]?.(server.url)
      reply = isReplica
      const { store, warnings } = storeOn(asker?.redis)
      const said: (readonly string[])[] = []
      for (let round = 0; round < 4; round++) {
        await expect(store.probe()).rejects.toThrow('READONLY')
        said.push(warnings())
      }
      expect(said.map((codes) => codes.length)).toEqual([0, 1, 1, 1])
      expect(warnings()).toEqual(['SLUICE_CLIENT_READONLY'])
      await store.close()
      await asker?.end()
    },
  )

  it('is not where a write has gone well between', async () => {
    const { redis, end } = await (askers.ioredis as NonNullable<typeof askers.ioredis>)(server.url)
    const { store, warnings } = storeOn(redis)
    for (let round = 0; round < 3; round++) {
      reply = isReplica
      await store.probe().catch(() => {})
      reply = 1
      await store.probe()
    }
    expect(warnings()).toEqual([])
    await store.close()
    await end()
  })

  it('is not where it leaves that connection', async () => {
    const client = new Redis(server.url, { reconnectOnError: () => true, retryStrategy: () => 1 })
    const { store, warnings, lost } = storeOn(client)
    await store.ready()
    reply = isReplica
    for (let round = 1; round < 4; round++) {
      const back = new Promise((resolve) => client.once('ready', resolve))
      await expect(store.probe()).rejects.toThrow('READONLY')
      await back
      expect(lost()).toBe(round)
    }
    expect(warnings()).toEqual([])
    await store.close()
    client.disconnect()
  })
})
