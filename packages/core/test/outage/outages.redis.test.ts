import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { FaultyServer, fill, RedisProcess } from '@sluice/faults'
import { Redis } from 'ioredis'
import {
  createLimiter,
  type Decision,
  fixedWindow,
  type RedisStoreOptions,
  redisStore,
  type Store,
} from '../../src/index.ts'
import { socket } from '../redis-socket.ts'
import { eventually, took } from './within.ts'

const three = fixedWindow({ limit: 3, window: '1h' })
const silent = { warn: () => {}, error: () => {} }
/** The deadline, and what a request may wait beyond it. */
const longestMs = 150

// Recovery takes its seconds.
jest.setTimeout(20_000)

const open: Store[] = []
afterEach(async () => {
  for (const store of open.splice(0)) await store.close()
})

function guarded(url: string, options: RedisStoreOptions = {}) {
  const store = redisStore(url, options)
  open.push(store)
  const limiter = (onStoreFailure: 'local' | 'allow' | 'deny') =>
    createLimiter({
      name: `${onStoreFailure} ${randomBytes(4).toString('hex')}`,
      store,
      policy: three,
      onStoreFailure,
      logger: silent,
    })
  return { store, local: limiter('local'), allow: limiter('allow'), deny: limiter('deny') }
}

type Guarded = ReturnType<typeof guarded>

/** Asks so often, one after another; every answer comes in time. */
async function asks(limiter: Guarded['local'], times: number, key = 'bob'): Promise<Decision[]> {
  const decisions: Decision[] = []
  for (let i = 0; i < times; i++) {
    const { value, ms } = await took(() => limiter.check(key))
    expect(ms).toBeLessThanOrEqual(longestMs)
    decisions.push(value)
  }
  return decisions
}

/** What every outage looks like from outside, whatever has caused it. */
async function answersWithout({ local, allow, deny }: Guarded): Promise<void> {
  const counted = await asks(local, 5, `new ${randomBytes(4).toString('hex')}`)
  expect(counted.map(({ source, allowed, remaining }) => [source, allowed, remaining])).toEqual([
    ['fallback', true, 2],
    ['fallback', true, 1],
    ['fallback', true, 0],
    ['fallback', false, 0],
    ['fallback', false, 0],
  ])
  const [passed] = await asks(allow, 1)
  expect(passed).toMatchObject({ source: 'none', allowed: true, remaining: 0, resetAfterMs: 0 })
  const [refused] = await asks(deny, 1)
  expect(refused).toMatchObject({ source: 'none', allowed: false, reason: 'store-unavailable', remaining: 0 })
  expect(refused?.retryAfterMs).toBeGreaterThanOrEqual(1000)
}

async function recovers({ local }: Guarded): Promise<void> {
  await eventually(
    async () => (await local.check(`again ${randomBytes(4).toString('hex')}`)).source === 'redis',
  )
}

describe('a server that accepts and never answers', () => {
  const server = new FaultyServer(socket)
  beforeAll(() => server.start())
  afterAll(() => server.end())

  it('is answered without, and spared after some failures', async () => {
    server.become({ fault: 'silence' })
    const under = guarded(server.url)
    await under.local.ready()
    await answersWithout(under)
    expect(under.store.health?.()).toMatchObject({ status: 'down', store: 'redis' })
    const { ms } = await took(() => under.local.check('bob'))
    expect(ms).toBeLessThan(20)
    server.become({ fault: 'none' })
    await recovers(under)
    expect(under.store.health?.()).toMatchObject({ status: 'ok' })
  })

  it('holds up nobody longer than the deadline, however many ask at once', async () => {
    server.become({ fault: 'silence' })
    const { local } = guarded(server.url)
    await local.ready()
    const { value, ms } = await took(() => Promise.all(Array.from({ length: 200 }, () => local.check('bob'))))
    expect(ms).toBeLessThanOrEqual(longestMs)
    expect(value.filter(({ allowed }) => allowed)).toHaveLength(3)
  })

  it('is waited for once before its first answer, no longer than connectDeadline, by however many', async () => {
    server.become({ fault: 'silence' })
    const store = redisStore(server.url, { connectDeadline: '400ms' })
    open.push(store)
    const limiter = createLimiter({ store, policy: three, logger: silent })
    const asked = () => took(() => Promise.all(Array.from({ length: 200 }, () => limiter.check('bob'))))
    const first = await asked()
    // A deadline of the connect deadline is left for the question itself.
    expect(first.ms).toBeGreaterThan(250)
    expect(first.ms).toBeLessThanOrEqual(450)
    expect(first.value.filter(({ allowed }) => allowed)).toHaveLength(3)
    expect((await asked()).ms).toBeLessThanOrEqual(longestMs)
  })

  it('goes silent on open connections only: new ones heal it', async () => {
    server.become({ fault: 'none' })
    const under = guarded(server.url)
    await recovers(under)
    server.cutCables()
    await answersWithout(under)
    await recovers(under)
  })
})

describe('a server that hangs up in mid-reply', () => {
  const server = new FaultyServer(socket)
  beforeAll(() => server.start())
  afterAll(() => server.end())

  it('is answered without, and asked again when it is well', async () => {
    server.become({ fault: 'none' })
    const under = guarded(server.url)
    await recovers(under)
    server.become({ fault: 'hang up' })
    await answersWithout(under)
    server.become({ fault: 'none' })
    await recovers(under)
  })
})

describe('a Redis server', () => {
  let server: RedisProcess
  let under: Guarded

  beforeEach(async () => {
    server = await RedisProcess.prepare()
    await server.start()
    under = guarded(server.url)
    await under.local.ready()
  })
  afterEach(() => server.end())

  it('that hangs and goes on charges for nothing that was answered without it', async () => {
    const [first] = await asks(under.local, 1)
    expect(first).toMatchObject({ source: 'redis', remaining: 2 })
    server.hang()
    // All of these lie in its socket when it goes on.
    const answers = await Promise.all(Array.from({ length: 20 }, () => took(() => under.local.check('bob'))))
    for (const { value, ms } of answers) {
      expect(value.source).toBe('fallback')
      expect(ms).toBeLessThanOrEqual(longestMs)
    }
    server.goOn()
    await recovers(under)
    // Another process shows what the server has: this one holds against bob what it let through meanwhile.
    const witness = createLimiter({ name: under.local.name, store: guarded(server.url).store, policy: three })
    expect(await witness.peek('bob')).toMatchObject({ source: 'redis', remaining: 2 })
  })

  it('that hangs and goes on takes nothing for a process that has ended meanwhile', async () => {
    await asks(under.local, 1)
    const ended = guarded(server.url)
    await ended.local.ready()
    const limiter = createLimiter({
      name: under.local.name,
      store: ended.store,
      policy: three,
      logger: silent,
    })
    server.hang()
    for (const { source } of await asks(limiter, 2)) expect(source).toBe('fallback')
    // Its requests lie in the server's socket; nobody is left to give back what a late answer says.
    await ended.store.close()
    // How far apart the two clocks are is known no better than a reply takes: the deadline has passed on the server's clock, too.
    await new Promise((resolve) => setTimeout(resolve, 90))
    server.goOn()
    await recovers(under)
    expect(await under.local.peek('bob')).toMatchObject({ source: 'redis', remaining: 2 })
  })

  it('that hangs is answered without', async () => {
    server.hang()
    await answersWithout(under)
    server.goOn()
    await recovers(under)
  })

  it('that is killed and started again is used again', async () => {
    expect((await asks(under.local, 1))[0]?.source).toBe('redis')
    await server.kill()
    await answersWithout(under)
    await server.start()
    await recovers(under)
  })

  it('that comes back empty admits no more than the limit, also to who has asked nothing meanwhile', async () => {
    expect((await asks(under.local, 2)).map(({ remaining }) => remaining)).toEqual([2, 1])
    await server.kill()
    await server.start()
    await recovers(under)
    const decisions = await asks(under.local, 3)
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, false, false])
    expect(await under.local.check('somebody new')).toMatchObject({ source: 'redis', remaining: 2 })
  })

  it('that has refused a key goes on refusing it while it is away', async () => {
    // The fallback's own knowledge: a refusal that is repeated needs none.
    const other = guarded(server.url, { refusalCache: 0 })
    const limiter = createLimiter({
      name: under.local.name,
      store: other.store,
      policy: three,
      logger: silent,
    })
    await asks(under.local, 3)
    expect((await asks(limiter, 1))[0]).toMatchObject({ source: 'redis', allowed: false })
    await server.kill()
    const [refused] = await asks(limiter, 1)
    expect(refused).toMatchObject({ source: 'fallback', allowed: false, reason: 'limited' })
    expect(refused?.retryAfterMs).toBeGreaterThan(3_590_000)
  })

  it('that is full is answered without, and used again when it has room', async () => {
    const cure = await fill(server)
    await answersWithout(under)
    await cure()
    await recovers(under)
  })

  it('that was not there at the start is used once it is', async () => {
    await server.kill()
    const early = guarded(server.url)
    await answersWithout(early)
    await server.start()
    await recovers(early)
  })

  it('that cannot answer rejects what is done by hand, and it is done here meanwhile', async () => {
    await under.local.check('bob')
    await server.kill()
    for (const asked of [under.local.block('bob', '1m'), under.local.inspect('bob')]) {
      await expect(asked).rejects.toMatchObject({ code: 'SLUICE_STORE', store: 'redis' })
    }
    expect(await under.local.check('bob')).toMatchObject({ source: 'fallback', reason: 'blocked' })
    await expect(under.local.unblock('bob')).rejects.toMatchObject({ code: 'SLUICE_STORE' })
    expect(await under.local.check('bob')).toMatchObject({ source: 'fallback', allowed: true })
    await under.local.check('bob')
    await expect(under.local.reset('bob')).rejects.toMatchObject({ code: 'SLUICE_STORE' })
    expect(await under.local.check('bob')).toMatchObject({ remaining: 2 })
  })

  it('that is away is not asked to take back what was taken here, nor the other way round', async () => {
    const [remote] = await asks(under.local, 1)
    await server.kill()
    const [own] = await asks(under.local, 1)
    expect([remote?.source, own?.source]).toEqual(['redis', 'fallback'])
    await remote?.refund()
    expect((await under.local.peek('bob')).remaining).toBe(2)
    await own?.refund()
    expect((await under.local.peek('bob')).remaining).toBe(3)
    await under.local.penalize('bob', 2)
    expect((await under.local.peek('bob')).remaining).toBe(1)
  })

  it('counts and reports its failures', async () => {
    const events: string[] = []
    const limiter = createLimiter({
      name: 'watched',
      store: under.store,
      policy: three,
      logger: silent,
      observers: [
        {
          storeFailed: ({ kind }) => events.push(kind),
          storeRecovered: ({ kind }) => events.push(kind),
        },
      ],
    })
    await server.kill()
    await asks(limiter, 5)
    const { failures, fallbackDecisions, status } = limiter.health()
    expect({ status, fallbackDecisions }).toEqual({ status: 'degraded', fallbackDecisions: 5 })
    expect(failures).toBe(5)
    // What fails at once has to do so for a while: one server of a cluster may be away while the others answer.
    await eventually(async () => {
      await limiter.check('bob')
      return limiter.health().status === 'down'
    })
    expect(events).toContain('failed')
    expect(events).toContain('opened')
    await server.start()
    await recovers(under)
    expect(events.at(-1)).toBe('recovered')
    expect(limiter.health().status).toBe('ok')
  })
})

describe('a key that holds what no strategy wrote', () => {
  const server = new FaultyServer(socket)
  const client = new Redis({ path: socket })
  beforeAll(() => server.start())
  afterAll(() => {
    client.disconnect()
    return server.end()
  })

  it('is a failure, answered without the store and never as a block', async () => {
    const { local } = guarded(server.url)
    const key = randomBytes(6).toString('hex')
    await client.sadd(`sl3:{${key}}:${local.name}:fw`, 'nonsense')
    expect(await local.check(key)).toMatchObject({ source: 'fallback', allowed: true, remaining: 2 })
  })
})
