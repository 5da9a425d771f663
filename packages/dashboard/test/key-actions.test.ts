import { afterEach, describe, expect, test } from '@jest/globals'
import { attributedWindow, createLimiter, type Store, slidingWindowLog, uniform } from '@sluice/core'
import { loadLimits } from '@sluice/limits'
import { memorySink, recorder } from '@sluice/telemetry'
import { type DashboardOptions, dashboard } from '../src/index.ts'
import { act } from './ask.ts'
import { Listener, listen } from './site.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function start(options: Omit<DashboardOptions, 'recorder'>, seen = recorder(memorySink())) {
  const page = dashboard({ ...options, recorder: seen, mayManage: () => true })
  const site = await listen(page)
  const listener = new Listener(`${site.origin}/stream`)
  ends.push(
    () => seen.close(),
    () => site.close(),
    () => page.close(),
    () => listener.close(),
  )
  /** The first key of a policy that is shown. */
  const idOf = async (policy: string) => {
    const { keys } = await listener.until('keys', (message) =>
      message.keys.some((key) => key.policy === policy),
    )
    return keys.find((key) => key.policy === policy)?.id
  }
  return { ...site, idOf, listener }
}

describe('an act', () => {
  test('concerns one policy of a limiter and no other', async () => {
    const seen = recorder(memorySink())
    const policies = {
      visitor: uniform({ interval: '1m' }),
      everybody: slidingWindowLog({ limit: 100, window: '1m' }),
    }
    const limiter = createLimiter({ name: 'tiger', policies, observers: [seen] })
    const served = await start({ limiters: [limiter] }, seen)
    const { origin, idOf } = served
    const subject = { visitor: 'bob', everybody: 'tigers' }
    await limiter.check(subject)
    await limiter.check(subject)
    const id = await idOf('visitor')
    expect((await act(origin, '/reset', { id })).status).toBe(204)
    const { visitor, everybody } = await limiter.inspect(subject)
    expect([visitor?.remaining, everybody?.remaining]).toEqual([1, 99])
    await act(origin, '/block', { id, seconds: 3600 })
    const { listener } = served
    await listener.until('keys', ({ keys }) =>
      keys.some((key) => key.id === id && key.blockedMs !== null && key.used === 0),
    )
    const blocked = await limiter.inspect(subject)
    expect([blocked.visitor?.blockedMs, blocked.everybody?.blockedMs]).toEqual([
      expect.closeTo(3_600_000, -4),
      null,
    ])
  })

  test('shows who used a key, the most first, masked like the key', async () => {
    const seen = recorder(memorySink())
    const policy = attributedWindow({ limit: 4, window: '1m' })
    const limiter = createLimiter({ name: 'lemur', policy, observers: [seen] })
    const { origin, idOf } = await start({ limiters: [limiter], maskKeys: true }, seen)
    for (const note of ['alex', 'bob', 'bob', 'eve', 'bob']) await limiter.check('203.0.113.7', { note })
    const { body } = await act(origin, '/inspect', { id: await idOf('') })
    expect(JSON.parse(body)).toMatchObject({
      key: expect.stringMatching(/^203\.0\.113\.•• #\w{6}$/),
      whole: null,
      used: 4,
      limit: 4,
      nextInMs: expect.any(Number),
      entries: [
        { note: expect.stringMatching(/^bo• #/), units: 2 },
        { note: expect.stringMatching(/^al•• #/), units: 1 },
        { note: expect.stringMatching(/^ev• #/), units: 1 },
      ],
    })
  })

  test('of a tree of limits concerns the level of the path', async () => {
    const seen = recorder(memorySink())
    const children = { trade: { limits: [1, 10, 60] } }
    const tree = { schema: { user: { children: { '*': { limits: [15, 30, 60], children } } } } }
    const limits = await loadLimits({ tree, observers: [seen] })
    const { origin, idOf } = await start({ limiters: [limits], maskKeys: false }, seen)
    for (let i = 0; i < 3; i++) await limits.check(['user', 'alex', 'trade'])
    const id = await idOf('user/*/trade')
    const { body } = await act(origin, '/inspect', { id })
    expect(JSON.parse(body)).toMatchObject({
      key: 'user / alex / trade',
      strategy: 'GCRA',
      used: 2,
      limit: 2,
    })
    await act(origin, '/block', { id, seconds: 60 })
    const { 'user/*': user, 'user/*/trade': trade } = await limits.inspect(['user', 'alex', 'trade'])
    expect([user?.blockedMs, trade?.blockedMs]).toEqual([null, expect.closeTo(60_000, -4)])
    await limits.close()
  })

  test('on a limiter that was not given is refused', async () => {
    const seen = recorder(memorySink())
    const limiter = createLimiter({ policy: uniform({ interval: '1m' }), observers: [seen] })
    const { origin, idOf } = await start({}, seen)
    await limiter.check('bob')
    const { status, body } = await act(origin, '/block', { id: await idOf(''), seconds: 60 })
    expect([status, JSON.parse(body).detail]).toEqual([404, 'This limiter was not given to the dashboard.'])
  })

  test('that the store does not answer says so', async () => {
    const seen = recorder(memorySink())
    const away = Object.assign(new Error('the store redis does not answer'), { code: 'SLUICE_STORE' })
    const row = {
      allowed: false,
      reason: 'limited',
      limit: 1,
      remaining: 0,
      retryAfterUs: 6e7,
      resetAfterUs: 6e7,
      waitUs: 0,
      receipt: '',
    } as const
    const store: Store = {
      name: 'redis',
      answer: () => [row],
      adjust() {},
      manage: () => Promise.reject(away),
      async close() {},
    }
    const limiter = createLimiter({ policy: uniform({ interval: '1m' }), store, observers: [seen] })
    const { origin, idOf, listener } = await start({ limiters: [limiter] }, seen)
    await limiter.check('bob')
    const { status, body } = await act(origin, '/block', { id: await idOf(''), seconds: 60 })
    expect([status, JSON.parse(body).detail]).toEqual([503, 'The store does not answer.'])
    expect(listener.last('events')?.events).toEqual([])
  })
})

describe('whoever may manage', () => {
  // biome-ignore format: a table
  test.each([
    // answer                                  may
    [() => true,                                true],
    [async () => true,                          true],
    [() => false,                               false],
    [() => 'yes' as never,                      false],
    [() => { throw new Error('no session') },   false],
    [() => Promise.reject(new Error('no')),     false],
    [undefined,                                 false],
  ])('is who the program says: %#', async (mayManage, may) => {
    const seen = recorder(memorySink())
    const page = dashboard({ recorder: seen, mayManage })
    const site = await listen(page)
    const listener = new Listener(`${site.origin}/stream`)
    ends.push(() => seen.close(), () => site.close(), () => page.close(), () => listener.close())
    expect((await listener.until('hello')).mayManage).toBe(may)
    expect((await act(site.origin, '/reset', { id: 'unknown' })).status).toBe(may ? 404 : 403)
  })
})
