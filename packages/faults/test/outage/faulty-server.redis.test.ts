import { isDeepStrictEqual } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { type Fault, FaultyServer, RedisProcess, say, until } from '../../src/index.ts'
import { RawClient } from './raw-client.ts'

/** Long enough for an answer on this machine, where one is not to come; in steps, so that what has come in meanwhile is read. */
async function pause(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setTimeout(resolve, 10))
}
const eventually = (holds: () => boolean | Promise<boolean>) =>
  until(async () => holds(), { what: 'waiting', longestMs: 4000 })

let real: RedisProcess
let server: FaultyServer
const clients: RawClient[] = []

beforeAll(async () => {
  real = await RedisProcess.prepare()
  await real.start()
})
afterAll(() => real.end())
beforeEach(async () => {
  server = new FaultyServer(real.port)
  await server.start()
  await say(real, 'DEL', 'count')
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.leave()
  await server.end()
})

async function connected(): Promise<RawClient> {
  const client = await RawClient.to(server.url)
  clients.push(client)
  return client
}

/** A connection that has been answered once. */
async function used(): Promise<RawClient> {
  const client = await connected()
  client.say('INCR count')
  await eventually(() => client.heard === ':1\r\n')
  return client
}

async function answersAgain(): Promise<void> {
  const client = await connected()
  client.say('PING')
  await eventually(() => client.heard === '+PONG\r\n')
}

const counted = async () => Number(await say(real, 'GET', 'count'))

describe('a faulty server', () => {
  // biome-ignore format: a table
  it.each<[Fault, object]>([
    // fault                               what a second request on a connection comes to
    [{ fault: 'none' },                    { heard: ':1\r\n:2\r\n', ended: false, counted: 2 }],
    [{ fault: 'silence' },                 { heard: ':1\r\n',       ended: false, counted: 2 }],
    [{ fault: 'blackhole' },               { heard: ':1\r\n',       ended: false, counted: 1 }],
    [{ fault: 'hang up' },                 { heard: ':1\r\n:2',     ended: true,  counted: 2 }],
  ])('that has become %j', async (fault, expected) => {
    const client = await used()
    server.become(fault)
    client.say('INCR count')
    const seen = async () => ({ heard: client.heard, ended: client.ended, counted: await counted() })
    // Where it does not come to that, what it came to is shown below.
    await eventually(async () => isDeepStrictEqual(await seen(), expected)).catch(() => {})
    await pause()
    expect(await seen()).toEqual(expected)
  })

  it.each(['silence', 'blackhole'] as const)(
    'stays silent after %s where something was lost',
    async (fault) => {
      const client = await used()
      server.become({ fault })
      client.say('INCR count')
      if (fault === 'silence') await eventually(async () => (await counted()) === 2)
      await pause()
      server.become({ fault: 'none' })
      client.say('INCR count')
      await pause()
      expect({ heard: client.heard, ended: client.ended }).toEqual({ heard: ':1\r\n', ended: false })
      const another = await connected()
      another.say('PING')
      await eventually(() => another.heard === '+PONG\r\n')
    },
  )

  it('in a blackhole does not show that the real one has closed', async () => {
    const client = await used()
    server.become({ fault: 'blackhole' })
    const [, own] = String(await say(real, 'CLIENT', 'LIST')).match(/^id=(\d+) .* cmd=incr /m) ?? []
    expect(await say(real, 'CLIENT', 'KILL', 'ID', String(own))).toBe(1)
    await pause()
    expect(client.ended).toBe(false)
  })

  it('delays answers and keeps their order, also when the delay shrinks', async () => {
    const client = await used()
    server.become({ fault: 'delay', ms: 1000 })
    client.say('INCR count')
    await eventually(async () => (await counted()) === 2)
    server.become({ fault: 'none' })
    client.say('INCR count')
    await eventually(async () => (await counted()) === 3)
    expect(client.heard).toBe(':1\r\n')
    await eventually(() => client.heard === ':1\r\n:2\r\n:3\r\n')
  })

  it('holds answers until another fault is chosen, and keeps their order', async () => {
    const client = await used()
    server.become({ fault: 'hold answers' })
    client.say('INCR count')
    await eventually(async () => (await counted()) === 2)
    client.say('INCR count')
    await eventually(async () => (await counted()) === 3)
    await pause()
    expect(client.heard).toBe(':1\r\n')
    server.become({ fault: 'none' })
    await eventually(() => client.heard === ':1\r\n:2\r\n:3\r\n')
  })

  it('cuts open connections, not new ones', async () => {
    const client = await used()
    server.cut()
    await eventually(() => client.closed)
    await answersAgain()
  })

  it('ends the side of answers alone: requests still arrive', async () => {
    const client = await used()
    server.halfClose()
    await eventually(() => client.ended)
    client.say('INCR count')
    await eventually(async () => (await counted()) === 2)
    expect({ heard: client.heard, closed: client.closed }).toEqual({ heard: ':1\r\n', closed: false })
  })

  it('refuses connections, and is there again under the same address', async () => {
    const client = await used()
    const { url } = server
    await server.refuse()
    await eventually(() => client.closed)
    await expect(RawClient.to(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await server.start()
    await answersAgain()
    expect(server.url).toBe(url)
  })
})
