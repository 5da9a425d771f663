import { afterEach, describe, expect, it } from '@jest/globals'
import { connectTo, RedisProcess, until } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import { createClient, RESP_TYPES } from 'redis'
import { scriptOf } from '../../src/redis/connection.ts'
import { fromNodeRedis, likeNodeRedis } from '../../src/redis/connections.ts'

const answer = scriptOf("return { 7, 'seven', KEYS[1], ARGV[1] }")
const clients: { destroy(): void; readonly isOpen: boolean }[] = []
afterEach(() => {
  for (const client of clients.splice(0)) if (client.isOpen) client.destroy()
})

function madeFor(options: Parameters<typeof createClient>[0]) {
  const client = createClient(options)
  clients.push(client)
  return client
}

const own = { socket: { path: socket, tls: false } } as const

describe('a node-redis client', () => {
  it.each(['node-redis 5', 'node-redis 6'] as const)(
    'runs a script that the server does not know: %s',
    async (name) => {
      const { connection, end } = await connectTo(name, socket)
      await connection.send('SCRIPT', ['FLUSH'])
      expect(await connection.run(answer, ['k'], [1])).toEqual([7, 'seven', 'k', '1'])
      expect(await connection.run(answer, ['k'], ['a'])).toEqual([7, 'seven', 'k', 'a'])
      end()
    },
  )

  it('that answers with buffers is asked for texts', async () => {
    const client = madeFor({ ...own, commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } } })
    await client.connect()
    expect(await fromNodeRedis(client).run(answer, ['k'], [1])).toEqual([7, 'seven', 'k', '1'])
  })

  it('that is connecting is waited for', async () => {
    const client = madeFor(own)
    const connection = fromNodeRedis(client)
    const connected = client.connect()
    const [first, second] = await Promise.all([
      connection.run(answer, ['k'], [1]),
      connection.send('PING', []),
    ])
    expect([first, second]).toEqual([[7, 'seven', 'k', '1'], 'PONG'])
    await connected
  })

  it('that nobody has connected fails at once, and is well once somebody has', async () => {
    const client = madeFor(own)
    const connection = fromNodeRedis(client)
    await expect(connection.run(answer, ['k'], [1])).rejects.toMatchObject({ code: 'SLUICE_STORE' })
    await client.connect()
    await expect(connection.send('PING', [])).resolves.toBe('PONG')
    client.destroy()
    // It had been opened: what it says must hold after that too.
    await expect(connection.send('PING', [])).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      message: expect.stringMatching(/not connected: the client is not open$/),
    })
  })

  it('whose server is away fails at once rather than keeping what it is asked, and is well again by itself', async () => {
    const server = await RedisProcess.prepare()
    await server.start()
    const client = madeFor({ url: server.url, socket: { reconnectStrategy: 50 } })
    const connection = fromNodeRedis(client)
    await client.connect()
    const gone = new Promise((resolve) => client.once('reconnecting', resolve))
    await server.kill()
    await gone
    await expect(connection.run(answer, ['k'], [1])).rejects.toMatchObject({ code: 'SLUICE_STORE' })
    const back = new Promise((resolve) => client.once('ready', resolve))
    await server.start()
    await back
    await expect(connection.run(answer, ['k'], [1])).resolves.toEqual([7, 'seven', 'k', '1'])
    await server.end()
  })

  it('made like one whose server was never there fails at once', async () => {
    const server = await RedisProcess.prepare()
    const connection = likeNodeRedis(createClient({ url: server.url }))
    await expect(connection.send('PING', [])).rejects.toMatchObject({ message: 'not connected' })
    await server.start()
    const answer = () => connection.send('PING', []).catch(() => undefined)
    await until(async () => (await answer()) === 'PONG', { what: 'a connection' })
    await connection.close()
    await expect(connection.send('PING', [])).rejects.toMatchObject({ code: 'SLUICE_STORE' })
    await server.end()
  })

  it('hands on what a script fails with', async () => {
    const { connection, end } = await connectTo('node-redis 6', socket)
    const broken = scriptOf("return redis.error_reply('BROKEN as it must be')")
    await expect(connection.run(broken, ['k'], [])).rejects.toThrow(/^BROKEN as it must be/)
    end()
  })
})
