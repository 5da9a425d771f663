import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { RedisProcess, RestFront } from '@sluice/faults'
import { createLimiter, fixedWindow, redisStore, type Store } from '../../src/index.ts'
import { eventually, took } from './within.ts'

const silent = { warn: () => {}, error: () => {} }
/** The deadline, and what a request may wait beyond it. */
const longestMs = 150

let server: RedisProcess
let front: RestFront
const open: Store[] = []
beforeAll(async () => {
  server = await RedisProcess.prepare()
  await server.start()
  front = new RestFront(server.port)
  await front.start()
})
afterEach(async () => {
  front.become({ fault: 'none' })
  for (const store of open.splice(0)) await store.close()
})
afterAll(async () => {
  await front.end()
  await server.end()
})

async function guarded() {
  const store = redisStore({ url: front.url, token: front.token })
  open.push(store)
  const policy = fixedWindow({ limit: 3, window: '1h' })
  const limiter = createLimiter({ name: randomBytes(4).toString('hex'), store, policy, logger: silent })
  await eventually(async () => (await limiter.check('first')).source === 'redis')
  return { store, limiter }
}

type Guarded = Awaited<ReturnType<typeof guarded>>

/** What every outage looks like from outside: answered in time, counted here, and the front is spared. */
async function answersWithout({ store, limiter }: Guarded): Promise<void> {
  const found: unknown[] = []
  for (let i = 0; i < 4; i++) {
    const { value, ms } = await took(() => limiter.check('bob'))
    expect(ms).toBeLessThanOrEqual(longestMs)
    found.push([value.source, value.allowed])
  }
  expect(found).toEqual([
    ['fallback', true],
    ['fallback', true],
    ['fallback', true],
    ['fallback', false],
  ])
  await eventually(async () => {
    await limiter.check('bob')
    return store.health?.().breaker === 'open'
  })
  const asked = front.calls.length
  await Promise.all(Array.from({ length: 50 }, () => limiter.check('bob')))
  expect(front.calls.length).toBeLessThanOrEqual(asked + 1)
}

async function recovers({ store, limiter }: Guarded): Promise<void> {
  await eventually(async () => (await limiter.check(randomBytes(4).toString('hex'))).source === 'redis')
  expect(store.health?.()).toMatchObject({ status: 'ok', breaker: 'closed' })
}

describe('a store over REST', () => {
  it('goes on while the front is away, and is back when it returns', async () => {
    const under = await guarded()
    await front.refuse()
    await answersWithout(under)
    await front.start()
    await recovers(under)
  })

  it.each([
    ['is silent', { fault: 'silence' }],
    ['cuts its answers off', { fault: 'cut' }],
    ['has failed', { fault: 'answer', status: 502, body: '<h1>Bad gateway</h1>' }],
    ['does not know the token', { fault: 'answer', status: 401, body: '{"error":"WRONGPASS"}' }],
    ['wants a pause', { fault: 'answer', status: 429 }],
  ] as const)('goes on while the front %s, and is back when it is well', async (_what, fault) => {
    const under = await guarded()
    front.become(fault)
    await answersWithout(under)
    front.become({ fault: 'none' })
    await recovers(under)
  })

  it('goes on while Redis behind the front is away, and is back when it returns', async () => {
    const under = await guarded()
    await server.kill()
    await answersWithout(under)
    await server.start()
    await recovers(under)
  })

  it('gives back what a late answer says was taken', async () => {
    const { store, limiter } = await guarded()
    front.become({ fault: 'slow', ms: 200 })
    const { value, ms } = await took(() => limiter.check('late'))
    expect([value.source, ms <= longestMs]).toEqual(['fallback', true])
    await eventually(() => store.health?.().lateReplies === 1)
    front.become({ fault: 'none' })
    await eventually(async () => (await limiter.inspect('late')).default?.remaining === 3)
  })

  it('that is closed while it is asked keeps nobody waiting', async () => {
    const { store, limiter } = await guarded()
    front.become({ fault: 'silence' })
    const asked = took(() => limiter.check('bob'))
    await store.close()
    expect((await asked).ms).toBeLessThanOrEqual(longestMs)
  })
})
