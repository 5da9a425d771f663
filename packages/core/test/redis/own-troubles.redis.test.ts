import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { freePort, RedisProcess } from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import { createLimiter, fixedWindow, type Logger, type RedisOptions, redisStore } from '../../src/index.ts'
import { scriptOf } from '../../src/redis/connection.ts'
import { fromIoredis } from '../../src/redis/connections.ts'

let server: RedisProcess
beforeAll(async () => {
  server = await RedisProcess.prepare(['--requirepass', 'right'])
  await server.start()
})
afterAll(() => server.end())

/** What a limiter decides over a client of its own, and what is logged meanwhile. */
async function decidedOver(
  redis: string | RedisOptions | Redis,
): Promise<{ source: string; lines: readonly string[] }> {
  const lines: string[] = []
  const logger: Logger = { warn: (line) => lines.push(line), error: (line) => lines.push(line) }
  const store = redisStore(redis)
  const policy = fixedWindow({ limit: 5, window: '1m' })
  const limiter = createLimiter({ name: randomBytes(4).toString('hex'), policy, store, logger })
  try {
    await limiter.ready()
    await limiter.check('bob')
    const { source } = await limiter.check('bob')
    return { source, lines }
  } finally {
    await limiter.close()
    await store.close()
  }
}

it.each([
  ['a wrong password', (port: number) => `redis://:wrong@127.0.0.1:${port}`, 'WRONGPASS'],
  ['no password', (port: number) => `redis://127.0.0.1:${port}`, 'NOAUTH'],
  [
    'a database that is not there',
    (port: number) => `redis://:right@127.0.0.1:${port}/99`,
    'ERR DB index is out of range',
  ],
])('%s is named in the log, and nothing is counted elsewhere', async (_title, urlOf, said) => {
  const { source, lines } = await decidedOver(urlOf(server.port))
  expect(source).toBe('fallback')
  expect(lines.join('\n')).toContain(`not connected: ${said}`)
  expect(lines.join('\n')).not.toMatch(/wrong@|:right/)
  const client = new Redis(server.port, { password: 'right' })
  const keys = await client.keys('*')
  client.disconnect()
  expect(keys).toEqual([])
})

it("a client of one's own counts in its database alone: where that is not there, the log says so", async () => {
  const own = (db: number) => {
    const client = new Redis({ port: server.port, password: 'right', db, disconnectTimeout: 100 })
    return client.on('error', () => {})
  }
  const [first, third, none] = [own(0), own(3), own(99)]
  const { source, lines } = await decidedOver(none)
  expect(source).toBe('fallback')
  expect(lines.join('\n')).toContain('not connected: ERR DB index is out of range')
  const set = fromIoredis(none).run(scriptOf("return redis.call('SET', KEYS[1], 1)"), ['k'], [])
  await expect(set).rejects.toMatchObject({ code: 'SLUICE_STORE' })
  expect((await decidedOver(third)).source).toBe('redis')
  // Each connection anew, as behind it may be another server.
  third.disconnect(true)
  expect((await decidedOver(third)).source).toBe('redis')
  expect([await first.dbsize(), await third.dbsize()]).toEqual([0, 2])
  for (const client of [first, third, none]) client.disconnect()
})

it('a Sentinel that is not there is named in the log', async () => {
  const at = `127.0.0.1:${await freePort()}`
  const { source, lines } = await decidedOver({ sentinels: [at], master: 'mymaster' })
  expect(source).toBe('fallback')
  expect(lines.join('\n')).toContain(`not connected: failed to connect to sentinel ${at}`)
})

it('a Sentinel that does not know the master is named in the log', async () => {
  const sentinel = await RedisProcess.prepareSentinel(server)
  await sentinel.start()
  const at = `127.0.0.1:${sentinel.port}`
  const { lines } = await decidedOver({ sentinels: [at], master: 'another' })
  await sentinel.end()
  expect(lines.join('\n')).toContain(`sentinel ${at} because ERR No such master with that name`)
})

it('each node of a cluster that was tried is named in the log, and what it has said', async () => {
  const nobody = `127.0.0.1:${await freePort()}`
  const other = `127.0.0.1:${server.port}`
  const { source, lines } = await decidedOver({ cluster: [nobody, other], password: () => 'wrong' })
  expect(source).toBe('fallback')
  const [said = ''] = lines
  // Node's own errors are of another realm than the tests: there they have a name in front.
  expect(said.replace('Error: ', '')).toContain(`${nobody}: connect ECONNREFUSED ${nobody}`)
  expect(said).toContain(`${other}: WRONGPASS`)
})

it('of many nodes some are named, and how many there are', async () => {
  const cluster = await Promise.all(Array.from({ length: 7 }, async () => `127.0.0.1:${await freePort()}`))
  const { lines } = await decidedOver({ cluster })
  expect(lines[0]?.match(/ECONNREFUSED/g)).toHaveLength(5)
  expect(lines[0]).toContain('; and 2 more')
})

it('a library that has replaced Promise, as zone.js does, keeps no URL from being connected', async () => {
  const { Promise: own } = globalThis
  // What async functions return is none of these.
  globalThis.Promise = class Another<T> extends own<T> {}
  try {
    expect(await decidedOver(`redis://:right@127.0.0.1:${server.port}`)).toEqual({
      source: 'redis',
      lines: [],
    })
  } finally {
    globalThis.Promise = own
  }
})
