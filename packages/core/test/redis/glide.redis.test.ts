import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { type Connected, connectGlide, RedisProcess, until } from '@sluice/faults'
import type { GlideLike } from '../../src/index.ts'
import { createLimiter, fixedWindow, redisStore } from '../../src/index.ts'
import { readClient } from '../../src/redis/client.ts'
import { scriptOf } from '../../src/redis/connection.ts'

const answer = scriptOf("return { 7, 'seven', KEYS[1], ARGV[1] }")
const allBytes = scriptOf("return { '\\0\\128\\255', 3 }", { bytes: true })

let server: RedisProcess
beforeAll(async () => {
  server = await RedisProcess.prepare()
  await server.start()
})
afterAll(() => server.end())

const open: Connected<GlideLike>[] = []
afterEach(() => {
  for (const { end } of open.splice(0)) end()
})

async function connect(requestTimeout?: number): Promise<Connected<GlideLike>> {
  const connected = await connectGlide(server.port, requestTimeout)
  open.push(connected)
  return connected
}

describe('a client of Valkey GLIDE', () => {
  it('runs a script that the server does not know', async () => {
    const { connection } = await connect()
    await connection.send('SCRIPT', ['FLUSH'])
    expect(await connection.run(answer, ['k'], [1])).toEqual([7, 'seven', 'k', '1'])
    expect(await connection.run(answer, ['k'], ['é'])).toEqual([7, 'seven', 'k', 'é'])
  })

  it('keeps bytes that are no UTF-8', async () => {
    const { connection } = await connect()
    const [bytes, number] = (await connection.run(allBytes, [], [])) as [Uint8Array, unknown]
    expect([[...bytes], number]).toEqual([[0, 128, 255], 3])
  })

  it('hands on what a script fails with', async () => {
    const { connection } = await connect()
    const broken = scriptOf("return redis.error_reply('BROKEN as it must be')")
    await expect(connection.run(broken, ['k'], [])).rejects.toThrow(/^BROKEN as it must be/)
    await expect(connection.send('NOSUCH', ['k'])).rejects.toThrow(/^ERR unknown command/i)
  })

  it('has one store, and is none for what needs another connection', async () => {
    const { client } = await connect()
    expect(redisStore(client)).toBe(redisStore(client))
    expect(() => readClient(client)).toThrow(
      'redis: expected a URL, or a client of ioredis or node-redis: only redisStore() takes one of Valkey GLIDE',
    )
  })

  it('counts, goes on while its server is away, and is back when that returns', async () => {
    const { client } = await connect(1000)
    const store = redisStore(client, { deadline: '1s' })
    const policy = fixedWindow({ limit: 5, window: '1h' })
    const limiter = createLimiter({ store, policy, logger: { warn() {}, error() {} } })
    const decisions = await Promise.all(Array.from({ length: 20 }, () => limiter.check('alice')))
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5)
    expect(decisions.every(({ source }) => source === 'redis')).toBe(true)
    const comesFrom = async (source: string) =>
      (await limiter.check(randomBytes(6).toString('hex'))).source === source
    await server.kill()
    await until(() => comesFrom('fallback'), { what: 'waiting for the fallback' })
    await server.start()
    await until(() => comesFrom('redis'), { what: 'waiting for Redis' })
    await limiter.close()
    await store.close()
  })
})

it('a client of GLIDE for a cluster is none that is known', () => {
  class ClusterClient {
    customCommand() {}
    invokeScript() {}
    invokeScriptWithRoute() {}
  }
  expect(() => redisStore(new ClusterClient() as never)).toThrow(
    expect.objectContaining({ code: 'SLUICE_OPTION', path: 'redis' }),
  )
})
