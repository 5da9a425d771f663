import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import {
  addSlots,
  type ClusterClientName,
  clusterClientNames,
  connectToCluster,
  RedisCluster,
  RedisProcess,
} from '@sluice/faults'
import { Redis } from 'ioredis'
import { createCluster } from 'redis'
import { readClient } from '../../src/redis/client.ts'
import type { Connection } from '../../src/redis/connection.ts'
import { slotOf } from '../../src/redis/slot.ts'
import { Deadlines } from '../../src/waiting/deadlines.ts'
import { eventually } from '../outage/within.ts'

const cluster = new RedisCluster()
beforeAll(() => cluster.start())
afterAll(() => cluster.end())

interface Open {
  readonly connection: Connection
  end(): Promise<void>
}

/** A connection of its own, as one makes for what would keep others waiting. */
async function open(name: ClusterClientName): Promise<Open> {
  const { client, end } = await connectToCluster(name, cluster)
  const connection = readClient(client).connectAgain()
  return { connection, end: () => connection.close().then(end) }
}

describe.each(clusterClientNames)('a command through %s', (name) => {
  let connection: Connection
  let end: () => Promise<void>
  beforeEach(async () => {
    const opened = await open(name)
    connection = opened.connection
    end = opened.end
  })
  afterEach(() => end())

  it.each(['opened', 'done'] as const)('finds its key in a slot whose move is %s', async (move) => {
    const key = randomBytes(6).toString('hex')
    const slot = slotOf(key)
    const from = await cluster.holder(slot)
    const to = cluster.master(from === cluster.master(0) ? 1 : 0)
    await connection.send('PING', [], key)
    await cluster.moveSlot(slot, to, move)
    const counted = await Promise.all([1, 2, 3].map(() => connection.send('INCR', [key], key)))
    expect(counted.map(Number).sort()).toEqual([1, 2, 3])
    if (move === 'opened') await cluster.closeSlot(slot, from, to)
    expect(Number(await connection.send('GET', [key], key))).toBe(3)
  })

  it('finds its key in a slot that is on its way to a server that holds none yet', async () => {
    const key = randomBytes(6).toString('hex')
    await connection.send('PING', [], key)
    await cluster.moveSlot(slotOf(key), await cluster.addMaster(), 'opened')
    const counted = await Promise.all([1, 2, 3].map(() => connection.send('INCR', [key], key)))
    expect(counted.map(Number).sort()).toEqual([1, 2, 3])
  })

  it('that names no key goes to the server of the key that is given', async () => {
    const keys = Array.from({ length: 6 }, () => randomBytes(6).toString('hex'))
    const asked = await Promise.all(keys.map((key) => connection.send('CLUSTER', ['MYID'], key)))
    const holders = await Promise.all(keys.map((key) => cluster.holder(slotOf(key))))
    expect(asked.map(String)).toEqual(holders.map(({ id }) => id))
  })

  it('to all masters is answered by each of them', async () => {
    const ids = await connection.sendToAll?.('CLUSTER', ['MYID'])
    expect(ids?.map(String).sort()).toEqual(cluster.masters.map(({ id }) => id).sort())
  })
})

describe('a connection like that of a client', () => {
  it('of node-redis finds a cluster that was not there at first', async () => {
    const server = await RedisProcess.prepareForCluster()
    const client = createCluster({ rootNodes: [{ url: server.url }] })
    const connection = readClient(client).connectAgain()
    await expect(connection.send('PING', [], 'a key')).rejects.toThrow()
    await server.start()
    const admin = new Redis(server.port)
    await addSlots(admin, 0, 16_383)
    const answer = () => connection.send('PING', [], 'a key').catch(() => undefined)
    await eventually(async () => (await answer()) === 'PONG')
    admin.disconnect()
    await connection.close()
    await server.end()
  })

  const setPassword = (password: string) =>
    Promise.all(cluster.masters.map(({ client }) => client.config('SET', 'requirepass', password)))
  beforeAll(() => setPassword('secret'))
  afterAll(() => setPassword(''))

  it.each(clusterClientNames)('has its password: %s', async (name) => {
    const { client, end } = await connectToCluster(name, cluster, { password: 'secret' })
    const connection = readClient(client).connectAgain()
    expect(await connection.send('PING', [], 'a key')).toBe('PONG')
    await connection.close()
    await end()
  })
})

// A client of ioredis makes such a server one of its own.
describe.each(['node-redis 5', 'node-redis 6'] as const)(
  'a server that holds no slot yet, for %s',
  (name) => {
    it('has no connection left when its calls are over', async () => {
      const { connection, end } = await open(name)
      const key = randomBytes(6).toString('hex')
      const newcomer = await cluster.addMaster()
      await cluster.moveSlot(slotOf(key), newcomer, 'opened')
      const connected = async () => /connected_clients:\d+/.exec(await newcomer.client.info('clients'))?.[0]
      const before = await connected()
      await Promise.all([1, 2, 3].map(() => connection.send('INCR', [key], key)))
      await eventually(async () => (await connected()) === before)
      await end()
    })
  },
)

describe('once a master is dead', () => {
  it('no question to all is answered: a part would pass for the whole', async () => {
    const opened = await Promise.all(clusterClientNames.map(open))
    // What node-redis 6 sends before it notices that the server is gone is never answered: whoever asks has a deadline.
    const deadlines = new Deadlines('redis', 1000)
    const ping = async ({ connection }: Open) =>
      deadlines.bound(Promise.resolve(connection.sendToAll?.('PING', [])))
    const ask = () => Promise.allSettled(opened.map(ping))
    expect((await ask()).map(({ status }) => status)).toEqual(Array(4).fill('fulfilled'))
    await cluster.master(2).server.kill()
    // The first may still meet the dead server's connection; later ones meet a client that has forgotten it.
    for (let i = 0; i < 3; i++) {
      expect((await ask()).map(({ status }) => status)).toEqual(Array(4).fill('rejected'))
    }
    deadlines.stop()
    await Promise.all(opened.map(({ end }) => end()))
  })
})
