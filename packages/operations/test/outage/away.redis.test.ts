import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { type Act, createLimiter, gcra } from '@sluice/core'
import { RedisProcess, until } from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import { operations, readOperations } from '../../src/index.ts'

let server: RedisProcess
beforeAll(async () => {
  server = await RedisProcess.prepare()
  await server.start()
})
afterAll(() => server.kill())

it('an outage reaches no request, is in health(), and what was done meanwhile is told afterwards', async () => {
  const heard: Act[] = []
  const [here, there] = [operations({ redis: server.url }), operations({ redis: server.url })]
  const settings = { name: 'login', policy: gcra({ count: 5, period: '1h' }) }
  const limiter = createLimiter({ ...settings, observers: [here] })
  const other = createLimiter({
    ...settings,
    observers: [there, { acted: (act) => void heard.push(act) }],
  })
  const isWell = async () => {
    await Promise.all([here.ready(), there.ready()])
    return here.health().status === 'ok' && there.health().status === 'ok'
  }
  await until(isWell, { what: 'the first word' })
  await server.kill()
  async function isDown() {
    await here.ready()
    return here.health().status === 'down'
  }
  await until(isDown, { what: 'the outage' })
  expect(here.health().error).not.toBeNull()
  expect((await limiter.check('bob')).allowed).toBe(true)
  await limiter.block('bob', '1h', { why: 'during the outage' })
  expect((await limiter.check('bob')).allowed).toBe(false)
  expect(heard).toEqual([])
  await server.start()
  await until(isWell, { what: 'the end of the outage' })
  await until(async () => heard.length > 0, { what: 'word of the block' })
  expect(heard).toEqual([expect.objectContaining({ act: 'block', key: 'bob', why: 'during the outage' })])
  const reader = readOperations({ redis: server.url })
  await until(async () => (await reader.processes()).length === 2, { what: 'both processes' })
  for (const { limiters } of await reader.processes()) expect(limiters).toHaveLength(1)
  await reader.close()
  for (const each of [limiter, other, here, there]) await each.close()
})

it('of what is done in a long outage the first hundred acts are told', async () => {
  const heard: Act[] = []
  const [here, there] = [operations({ redis: server.url }), operations({ redis: server.url })]
  const settings = { name: 'search', policy: gcra({ count: 5, period: '1h' }) }
  const limiter = createLimiter({ ...settings, observers: [here] })
  const observer = { acted: (act: Act) => void heard.push(act) }
  const other = createLimiter({ ...settings, observers: [there, observer] })
  await until(
    async () => {
      await there.ready()
      return there.health().sinceMs !== null
    },
    { what: 'the first word' },
  )
  await server.kill()
  for (let i = 0; i < 101; i++) await limiter.reset(`key ${i}`)
  await server.start()
  const limit = 100
  const wellAgain = async () => {
    await here.ready()
    return here.health().status === 'ok'
  }
  await until(wellAgain, { what: 'the end of the outage' })
  await limiter.reset('later')
  await until(async () => heard.at(-1)?.key === 'later', { what: 'word of all' })
  expect(heard).toHaveLength(limit + 1)
  for (const each of [limiter, other, here, there]) await each.close()
})

it('a process is shown again where Redis has lost its data without an outage', async () => {
  const ops = operations({ redis: server.url })
  const limiter = createLimiter({ name: 'login', policy: gcra({ count: 5, period: '1h' }), observers: [ops] })
  const reader = readOperations({ redis: server.url })
  const client = new Redis(server.url)
  await ops.ready()
  await client.flushall()
  // The first that writes learns of it.
  for (let i = 0; i < 2; i++) await ops.ready()
  const shown = await reader.processes()
  for (const each of [reader, limiter, ops]) await each.close()
  await client.quit()
  expect(shown).toHaveLength(1)
})

it('close() does not wait for a server that hangs if all acts have been published', async () => {
  const ops = operations({ redis: server.url })
  await ops.ready()
  server.hang()
  const published = ops.ready()
  await new Promise(setImmediate)
  const askedAt = performance.now()
  await ops.close()
  expect(performance.now() - askedAt).toBeLessThan(1000)
  await published
  server.goOn()
})
