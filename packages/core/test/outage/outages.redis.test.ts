import { randomBytes } from 'node:crypto'
import { afterEach, expect, it } from '@jest/globals'
import { FaultyServer, RedisProcess } from '@sluice/faults/outage'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { createLimiter, fixedWindow, redisStore } from '../../src/index.ts'
import { silent } from '../cluster/application.ts'
import { eventually } from './within.ts'

// What befalls a server or its connections else is played in virtual time, and beside it on a server: see packages/simulation.

/** Run after a test, the last first. */
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

function limiterOn(url: string) {
  const store = redisStore(url)
  ends.push(() => store.close())
  const name = randomBytes(4).toString('hex')
  return createLimiter({ name, store, policy: fixedWindow({ limit: 3, window: '1h' }), logger: silent })
}

async function faulty(): Promise<FaultyServer> {
  const server = new FaultyServer(socket)
  await server.start()
  ends.push(() => server.end())
  return server
}

it('a server that hangs up in mid-reply is answered without, and asked again when it is well', async () => {
  const server = await faulty()
  const limiter = limiterOn(server.url)
  const source = async () => (await limiter.check(randomBytes(6).toString('hex'))).source
  await limiter.ready()
  expect(await source()).toBe('redis')
  server.become({ fault: 'hang up' })
  for (let i = 0; i < 3; i++) expect(await source()).toBe('fallback')
  server.become({ fault: 'none' })
  await eventually(async () => (await source()) === 'redis')
})

it('a server that cannot answer rejects what is done by hand, and it is done here meanwhile', async () => {
  const server = await RedisProcess.prepare()
  await server.start()
  ends.push(() => server.end())
  const limiter = limiterOn(server.url)
  await limiter.check('bob')
  await server.kill()
  for (const asked of [limiter.block('bob', '1m'), limiter.inspect('bob')])
    await expect(asked).rejects.toMatchObject({ code: 'SLUICE_STORE', store: 'redis' })
  expect(await limiter.check('bob')).toMatchObject({ source: 'fallback', reason: 'blocked' })
  await expect(limiter.unblock('bob')).rejects.toMatchObject({ code: 'SLUICE_STORE' })
  expect(await limiter.check('bob')).toMatchObject({ source: 'fallback', allowed: true })
  await limiter.check('bob')
  await expect(limiter.reset('bob')).rejects.toMatchObject({ code: 'SLUICE_STORE' })
  expect(await limiter.check('bob')).toMatchObject({ remaining: 2 })
})

it('a key that holds what no strategy wrote is a failure, answered without the store and never as a block', async () => {
  const client = new Redis({ path: socket })
  ends.push(() => client.disconnect())
  const limiter = limiterOn((await faulty()).url)
  const key = randomBytes(6).toString('hex')
  await client.sadd(`sl3:{${key}}:${limiter.name}:fw`, 'nonsense')
  expect(await limiter.check(key)).toMatchObject({ source: 'fallback', allowed: true, remaining: 2 })
})
