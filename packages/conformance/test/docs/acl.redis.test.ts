import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals'
import { RedisCluster, RedisProcess } from '@sluice/faults'
import { Redis } from 'ioredis6'
import { createClient, createCluster } from 'redis6'
import {
  addUser,
  commandsCalled,
  credentials,
  forCluster,
  forServer,
  forSetInfo,
  linesHere,
  refusals,
  useAll,
} from './acl.ts'
import { takesSetInfo } from './on-server.ts'

const { username, password } = credentials

test('the ACL line permits what the scripts and their callers use, and nothing else', () => {
  const callers = ['eval', 'evalsha', 'time', 'info']
  const used = [
    ...new Set([...callers, ...commandsCalled('lua', 'lua/include', 'lua/many', 'lua/strategies')]),
  ].sort()
  const permitted = forServer.filter((word) => word.startsWith('+'))
  expect(permitted.map((word) => word.slice(1)).sort()).toEqual(used)
})

describe('a user of that line, and of the next where the server takes it, on a server', () => {
  let server: RedisProcess
  let admin: Redis
  beforeAll(async () => {
    server = await RedisProcess.prepare()
    await server.start()
    admin = new Redis(server.url)
    await addUser(admin, linesHere)
  })
  afterAll(() => {
    admin.disconnect()
    return server.end()
  })

  const withUser = () => server.url.replace('redis://', `redis://${username}:${password}@`)

  it('is made of the second line on every server but Redis 7.0, which refuses it', async () => {
    const added = admin.call('ACL', 'SETUSER', 'another', ...forSetInfo.slice(2))
    if (takesSetInfo) expect(await added).toBe('OK')
    else await expect(added).rejects.toThrow('Unknown command or category name in ACL')
  })

  it('may do all that a limiter does with a URL', async () => {
    await useAll(withUser())
    expect(await refusals(admin)).toEqual([])
  })

  it('may do so with ioredis', async () => {
    const client = new Redis(withUser())
    await useAll(client).finally(() => client.disconnect())
    expect(await refusals(admin)).toEqual([])
  })

  it('may do so with node-redis', async () => {
    const client = createClient({ url: withUser() })
    await client.connect()
    await useAll(client).finally(() => client.destroy())
    expect(await refusals(admin)).toEqual([])
  })

  it('may touch no other key and no other command', async () => {
    const client = new Redis(withUser())
    await expect(client.get('session:bob')).rejects.toThrow('NOPERM')
    await expect(client.call('KEYS', '*')).rejects.toThrow('NOPERM')
    client.disconnect()
    expect(await refusals(admin)).toEqual(expect.arrayContaining(['session:bob', 'keys']))
  })
})

describe('a user of the lines for a cluster, on a cluster', () => {
  const cluster = new RedisCluster()
  const everybody = () => [...cluster.masters, ...cluster.replicas].map(({ client }) => client)
  const refused = async () => (await Promise.all(everybody().map(refusals))).flat()
  const roots = () => cluster.addresses.map(({ host, port }) => `${host}:${port}`)
  beforeAll(async () => {
    await cluster.start()
    await Promise.all(everybody().map((admin) => addUser(admin, [...linesHere, forCluster])))
  })
  afterAll(() => cluster.end())

  it('may do all that a limiter does with a list of servers', async () => {
    await useAll({ cluster: roots(), username, password })
    expect(await refused()).toEqual([])
  })

  it('may do so while a slot moves', async () => {
    const slot = await cluster.master(0).client.cluster('KEYSLOT', 'bob')
    const holder = await cluster.holder(slot)
    const other = cluster.masters.find((member) => member !== holder) ?? holder
    await cluster.moveSlot(slot, other, 'opened')
    await useAll({ cluster: roots(), username, password })
    await cluster.closeSlot(slot, holder, other)
    expect(await refused()).toEqual([])
  })

  it('may do so with node-redis', async () => {
    const rootNodes = roots().map((root) => ({ url: `redis://${root}` }))
    const client = createCluster({ rootNodes, defaults: { username, password } })
    await client.connect()
    await useAll(client).finally(() => client.destroy())
    expect(await refused()).toEqual([])
  })
})
