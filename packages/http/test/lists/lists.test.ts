import { describe, expect, it } from '@jest/globals'
import {
  concurrency,
  createLimiter,
  gcra,
  type Lists,
  type ListsWatcher,
  slidingWindowLog,
} from '@sluice/core'
import { createGate, handleRequest, ListTable, readEntry } from '../../src/internal/index.ts'
import { exchangeOf } from '../exchange.ts'

/** Lists whose entries a test sets. */
function changing() {
  const us = 1_000_000
  const clock = { now: 0, nowUs: () => clock.now }
  let table = new ListTable([], clock)
  const watchers = new Set<ListsWatcher>()
  const lists: Lists = {
    ofAddress: (address, limiter) => table.ofAddress(address, limiter),
    ofKey: (key, limiter) => table.ofKey(key, limiter),
    watch: (watcher) => {
      watchers.add(watcher)
      return () => void watchers.delete(watcher)
    },
  }
  const set = (...entries: Parameters<typeof readEntry>[0][]) => {
    table = new ListTable(
      entries.map((entry) => ({ ...readEntry(entry, ''), endsAtUs: 60 * us })),
      clock,
    )
  }
  return { lists, set, clock, watchers }
}

const policy = gcra({ count: 1, period: '1h' })

describe('lists of a limiter', () => {
  it('a denied key is refused, a blocked one until its end, an allowed one is not counted, and at the end all is as before', async () => {
    const { lists, set, clock } = changing()
    const limiter = createLimiter({ name: 'login', policy, lists: [lists] })
    set({ list: 'deny', key: 'mallory' }, { list: 'block', key: 'bob' }, { list: 'allow', key: 'carol' })
    expect(await limiter.check('mallory')).toMatchObject({
      allowed: false,
      reason: 'denied',
      retryAfterMs: null,
    })
    clock.now = 15_000_000
    expect(await limiter.check('bob')).toMatchObject({
      allowed: false,
      reason: 'blocked',
      retryAfterMs: 45_000,
    })
    for (let i = 0; i < 3; i++) expect((await limiter.check('carol')).allowed).toBe(true)
    clock.now = 60_000_000
    for (const key of ['mallory', 'bob', 'carol']) {
      expect((await limiter.check(key)).allowed).toBe(true)
      expect(await limiter.check(key)).toMatchObject({ allowed: false, reason: 'limited' })
    }
  })

  it.each([
    [10_000, 60_000],
    [60_000, 10_000],
  ])('of two blocks, of %i and of %i ms, the later end holds', async (...ends) => {
    const lists = ends.map((endsInMs): Lists => {
      const blocked = { list: 'block', endsInMs } as const
      return { ofAddress: () => blocked, ofKey: () => blocked }
    })
    const limiter = createLimiter({ name: 'login', policy, lists })
    expect(await limiter.check('bob')).toMatchObject({ reason: 'blocked', retryAfterMs: 60_000 })
  })

  it('deny comes before block, and block before allow; an entry of another limiter does not count', async () => {
    const { lists, set } = changing()
    const limiter = createLimiter({ name: 'login', policy, lists: [lists] })
    set({ list: 'allow', key: 'bob' }, { list: 'block', key: 'bob' })
    expect((await limiter.check('bob')).reason).toBe('blocked')
    set({ list: 'allow', key: 'bob' }, { list: 'block', key: 'bob' }, { list: 'deny', key: 'bob' })
    expect((await limiter.check('bob')).reason).toBe('denied')
    set({ list: 'allow', key: 'bob' }, { list: 'deny', key: 'bob', limiter: 'search' })
    expect((await limiter.check('bob')).allowed).toBe(true)
  })

  it('of several policies only the one is spared whose key is allowed, and any key refuses', async () => {
    const { lists, set } = changing()
    const policies = { visitor: policy, attraction: slidingWindowLog({ limit: 2, window: '1h' }) }
    const limiter = createLimiter({ policies, lists: [lists] })
    set({ list: 'allow', key: 'bob' }, { list: 'deny', key: 'bears' })
    const bob = { visitor: 'bob', attraction: 'tigers' }
    const reasons = []
    for (let i = 0; i < 3; i++) reasons.push((await limiter.check(bob)).policy)
    expect(reasons).toEqual(['attraction', 'attraction', 'attraction'])
    expect(await limiter.check(bob)).toMatchObject({
      allowed: false,
      policy: 'attraction',
      reason: 'limited',
    })
    const bears = { visitor: 'bob', attraction: 'bears' }
    expect(await limiter.check(bears)).toMatchObject({ policy: 'attraction', key: 'bears', reason: 'denied' })
  })

  it.each([
    ['a', 'b'],
    ['b', 'a'],
  ] as const)(
    'of several keys that are refused the one decides that is denied: %s and %s',
    async (denied, blocked) => {
      const { lists, set } = changing()
      const limiter = createLimiter({ policies: { a: policy, b: policy }, lists: [lists] })
      set({ list: 'deny', key: denied }, { list: 'block', key: blocked })
      expect(await limiter.check({ a: 'a', b: 'b' })).toMatchObject({ policy: denied, reason: 'denied' })
    },
  )

  it('peek, reserve, wait and inspect say what check would', async () => {
    const { lists, set } = changing()
    const limiter = createLimiter({ policy, lists: [lists] })
    set({ list: 'block', key: 'bob' })
    const refused = { allowed: false, reason: 'blocked', retryAfterMs: 60_000 }
    expect(await limiter.peek('bob')).toMatchObject(refused)
    expect(await limiter.reserve('bob', { maxWait: '1d' })).toMatchObject(refused)
    expect(await limiter.wait('bob', { maxWait: '1d' })).toMatchObject(refused)
    const listed = { list: 'block', endsInMs: 60_000 }
    expect(await limiter.inspect('bob')).toMatchObject({ default: { ...refused, listed, remaining: 1 } })
    expect((await limiter.inspect('carol')).default).not.toHaveProperty('listed')
  })

  it('who is blocked does not stand in line for what is in flight', async () => {
    const { lists, set } = changing()
    const limiter = createLimiter({ policy: concurrency({ limit: 1, lease: '1m' }), lists: [lists] })
    const held = await limiter.check('bob')
    set({ list: 'block', key: 'bob' })
    expect(await limiter.wait('bob', { maxWait: '1h' })).toMatchObject({ allowed: false, reason: 'blocked' })
    await held.release()
  })

  it('a policy in shadow refuses nobody, and a list does', async () => {
    const { lists, set } = changing()
    const limiter = createLimiter({ policy, shadow: true, lists: [lists] })
    set({ list: 'deny', key: 'bob' })
    expect((await limiter.check('bob')).allowed).toBe(false)
  })

  it('observers hear of what lists refuse, by the operation', async () => {
    const { lists, set } = changing()
    const heard: string[] = []
    const observers = [
      { decided: (_: unknown, { operation }: { operation: string }) => void heard.push(operation) },
    ]
    const limiter = createLimiter({ policy, lists: [lists], observers })
    set({ list: 'deny', key: 'bob' })
    await limiter.check('bob')
    await limiter.peek('bob')
    expect(heard).toEqual(['check', 'peek'])
  })

  it('a reload that failed is in the health until it is mended', async () => {
    const { lists, watchers } = changing()
    const told: string[] = []
    const observers = [{ warned: ({ code }: { code: string }) => void told.push(code) }]
    const limiter = createLimiter({ policy, lists: [lists], observers })
    const [watcher] = watchers
    watcher?.reloadFailed({ source: 'lists.yaml', error: 'lists.yaml:1:1: expected a list' })
    expect(limiter.health()).toMatchObject({
      status: 'degraded',
      warnings: ['SLUICE_RELOAD_FAILED'],
      failedReloads: [{ source: 'lists.yaml', error: 'lists.yaml:1:1: expected a list' }],
    })
    watcher?.reloaded('lists.yaml')
    expect(limiter.health()).toMatchObject({ status: 'ok', warnings: [] })
    expect(limiter.health()).not.toHaveProperty('failedReloads')
    expect(told).toEqual(['SLUICE_RELOAD_FAILED', 'SLUICE_RELOADED'])
    await limiter.close()
    expect(watchers.size).toBe(0)
  })

  it('what is no list is refused', () => {
    expect(() => createLimiter({ policy, lists: [{}] as unknown as Lists[] })).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'lists[0]' }),
    )
  })
})

describe('lists of a gate', () => {
  const from = (ip: string) => exchangeOf({ ip, peer: ip })

  it('of several sources each is asked for an address', async () => {
    const [one, other] = [changing(), changing()]
    const gate = createGate<object>({ policy, lists: [one.lists, other.lists] })
    other.set({ list: 'allow', address: '203.0.113.9' })
    expect(await handleRequest(gate, from('203.0.113.9'))).toMatchObject({ decision: null, refusal: null })
  })

  it('addresses are denied, blocked and let pass, beside its own lists', async () => {
    const { lists, set } = changing()
    const own = { allowList: ['10.0.0.0/8'], denyList: ['192.0.2.1'] }
    const gate = createGate<object>({ policy, lists: [lists], ...own })
    set(
      { list: 'deny', address: '203.0.113.0/24' },
      { list: 'block', address: '10.0.0.7' },
      { list: 'allow', address: '192.0.2.0/24' },
    )
    expect((await handleRequest(gate, from('203.0.113.9'))).refusal?.status).toBe(403)
    expect((await handleRequest(gate, from('192.0.2.1'))).refusal?.status).toBe(403)
    for (let i = 0; i < 3; i++)
      expect(await handleRequest(gate, from('192.0.2.9'))).toMatchObject({ decision: null, refusal: null })
    const blocked = from('::ffff:10.0.0.7')
    expect(await handleRequest(gate, blocked)).toMatchObject({
      decision: { reason: 'blocked' },
      refusal: { status: 429 },
    })
    expect(blocked.raw.getHeader('retry-after')).toBe('60')
  })

  it('a limiter that is handed over brings its lists', async () => {
    const { lists, set } = changing()
    const gate = createGate<object>({ limiter: createLimiter({ policy, lists: [lists] }) })
    set({ list: 'deny', address: '2001:db8::/32' })
    expect((await handleRequest(gate, from('2001:db8::1'))).refusal?.status).toBe(403)
  })
})
