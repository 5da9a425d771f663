import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { FaultyServer, RedisProcess } from '@sluice/faults/outage'
import { createLimiter, fixedWindow, redisStore } from '../../src/index.ts'
import { silent } from '../cluster/application.ts'
import type { Paused } from './pausing.ts'
import { runProgram } from './run-program.ts'
import { clients, keys, limit } from './start-settings.ts'
import type { Asked } from './starting.ts'
import { took } from './within.ts'

// Each starts processes, which takes what the machine needs for it.
const processes = 4
const longestMs = 150
const many = (work: () => Promise<unknown>) => Promise.all(Array.from({ length: processes }, work))

let server: RedisProcess
beforeEach(async () => {
  server = await RedisProcess.prepare()
  await server.start()
})
afterEach(() => server.end())

describe('processes that ask from their first moment on, without waiting for the store', () => {
  it.each(clients)('admit together exactly the limit, with %s', async (client) => {
    const all = (await many(() => runProgram<Asked>('starting.ts', client, server.url))) as Asked[]
    expect(all.map(({ sources, failures }) => [Object.keys(sources), failures])).toEqual(
      all.map(() => [['redis'], []]),
    )
    for (const key of keys) {
      const admitted = all.reduce((sum, asked) => sum + (asked.admitted[key] ?? 0), 0)
      expect({ key, admitted }).toEqual({ key, admitted: limit })
    }
  })
})

describe('a process that stands still for 300 ms now and then', () => {
  it.each(clients)('decides nothing by itself while Redis is well, with %s', async (client) => {
    const { sources, failures } = await runProgram<Paused>('pausing.ts', client, server.url)
    expect({ sources: Object.keys(sources), failures }).toEqual({ sources: ['redis'], failures: [] })
  })

  it('keeps a connection of its own even if it stood still for longer than a silent one is kept', async () => {
    const store = redisStore(server.url)
    const policy = fixedWindow({ limit: 3, window: '1h' })
    const limiter = createLimiter({ store, policy, logger: silent })
    await limiter.check('bob')
    const asked = limiter.check('bob')
    const until = performance.now() + 2100
    while (performance.now() < until);
    expect(await asked).toMatchObject({ source: 'redis', remaining: 1 })
    expect(await limiter.check('bob')).toMatchObject({ source: 'redis', remaining: 0 })
    expect(limiter.health()).toMatchObject({ failures: 0, status: 'ok' })
    await store.close()
  })

  it('answers in time where Redis hangs: what it was late itself comes on top', async () => {
    const store = redisStore(server.url)
    const policy = fixedWindow({ limit: 3, window: '1h' })
    const limiter = createLimiter({ store, policy, logger: silent })
    await limiter.check('bob')
    server.hang()
    const { value, ms } = await took(async () => {
      const asked = limiter.check('bob')
      const until = performance.now() + 300
      while (performance.now() < until);
      return asked
    })
    expect(value.source).toBe('fallback')
    // Its own deadline passed while it stood still.
    expect(ms).toBeLessThanOrEqual(longestMs - 100)
    await store.close()
  })
})

describe('a first call', () => {
  let slow: FaultyServer
  beforeEach(async () => {
    slow = new FaultyServer(server.port)
    await slow.start()
  })
  afterEach(() => slow.end())

  it.each(['reset', 'block', 'unblock', 'inspect', 'check', 'penalize'] as const)(
    'waits for a connection that takes longer than a deadline: %s',
    async (name) => {
      slow.become({ fault: 'delay', ms: 130 })
      const store = redisStore(slow.url)
      const limiter = createLimiter({
        store,
        policy: fixedWindow({ limit: 3, window: '1h' }),
        logger: silent,
      })
      const first = {
        reset: () => limiter.reset('bob'),
        block: () => limiter.block('bob', '1m'),
        unblock: () => limiter.unblock('bob'),
        inspect: () => limiter.inspect('bob'),
        check: () => limiter.check('bob'),
        penalize: () => limiter.penalize('bob', 1),
      }[name]()
      setTimeout(() => slow.become({ fault: 'none' }), 200)
      await first
      const { status, failures, fallbackDecisions } = limiter.health()
      expect({ status, failures, fallbackDecisions }).toEqual({
        status: 'ok',
        failures: 0,
        fallbackDecisions: 0,
      })
      await store.close()
    },
  )
})
