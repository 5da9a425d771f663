import { expect, it, jest } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import {
  type Act,
  createLimiter,
  gcra,
  memoryStore,
  notApplicable,
  type Observed,
  type Observer,
  type Store,
} from '../../src/index.ts'
import { Reports } from '../../src/observer.ts'

const oneASecond = gcra({ count: 1, period: '1s' })
const logger = { warn() {}, error() {} }

it('an observer knows a limiter from its beginning to its end', async () => {
  const open = new Set<Observed>()
  const observer: Observer = {
    limiterOpened: (limiter) => void open.add(limiter),
    limiterClosed: (limiter) => void open.delete(limiter),
  }
  const names = () => [...open].map(({ name }) => name)
  const one = createLimiter({ name: 'one', policy: oneASecond, observers: [observer] })
  const two = createLimiter({ name: 'two', policy: oneASecond, observers: [observer] })
  expect(names()).toEqual(['one', 'two'])
  await one.close()
  expect(names()).toEqual(['two'])
  await two.close()
  expect(names()).toEqual([])
})

it('a limiter can be asked for its health as soon as an observer knows it', async () => {
  const heard: unknown[] = []
  const observer = { limiterOpened: (limiter: Observed) => void heard.push(limiter.health()) }
  const limiter = createLimiter({ policy: oneASecond, observers: [observer] })
  expect(heard).toEqual([expect.objectContaining({ status: 'ok', store: 'memory', sleepers: 0 })])
  await limiter.close()
})

it('what one observer throws keeps neither a decision nor the next observer from it', async () => {
  const broken: Observer = {
    decided() {
      throw new Error('an observer of no use')
    },
  }
  const heard: boolean[] = []
  const observers: Observer[] = [broken, { decided: ({ allowed }) => void heard.push(allowed) }]
  const limiter = createLimiter({ policy: oneASecond, observers })
  expect((await limiter.check('bob')).allowed).toBe(true)
  expect((await limiter.check('bob')).allowed).toBe(false)
  expect(heard).toEqual([true, false])
  await limiter.close()
})

it('a log says what a store does in the words of the store, or else by the kind of the event', () => {
  const lines: string[] = []
  const reports = new Reports([], { warn() {}, error: (line: string) => void lines.push(line) })
  reports.event({ kind: 'failed', store: 'ours', sinceMs: 0 })
  reports.event({ kind: 'opened', store: 'ours', sinceMs: 0 }, 'is left alone for a while')
  expect(lines).toEqual([
    '[sluice] the store ours failed',
    '[sluice] the store ours is left alone for a while',
  ])
})

it('what an observer or a logger promises and does not keep ends no process', () => {
  const broken = Promise.reject(new Error('an observer of no use'))
  const then = jest.spyOn(broken, 'then')
  const observer = new Proxy<Observer>({}, { get: () => () => broken })
  const reports = new Reports([observer], { warn: () => broken, error: () => broken })
  const limiter = createLimiter({ policy: oneASecond })
  reports.tell('limiterOpened', limiter)
  reports.decided(limiter.checkNow('bob'), { operation: 'check', durationMs: 0 })
  reports.tell('adjusted', { limiter: 'zoo', policy: 'default', units: 1 })
  reports.tell('lost', { limiter: 'zoo', policy: 'default', key: 'bob' })
  reports.acted({ act: 'block', limiter: 'zoo', policies: [], key: 'bob', atMs: 0 })
  reports.event({ kind: 'recovered', store: 'redis', sinceMs: 0 })
  reports.warned({ code: 'SLUICE_TEST', message: '' })
  reports.tell('limiterClosed', limiter)
  // Each once by the observer, and the recovery and the warning by the logger.
  const taken = then.mock.calls.filter(([, failed]) => typeof failed === 'function')
  expect(taken).toHaveLength(8 + 2)
})

it('health counts the callers that are held, and observers hear of those who find no place', async () => {
  const clock = manualClock()
  const heard: unknown[] = []
  const observer: Observer = {
    decided: ({ allowed, reason, source }, { operation }) =>
      void heard.push([operation, allowed, reason, source]),
  }
  const limiter = createLimiter({
    store: memoryStore({ clock }),
    policy: oneASecond,
    maxSleepers: 2,
    observers: [observer],
    logger,
  })
  expect(limiter.health().sleepers).toBe(0)
  const all = Array.from({ length: 4 }, () => limiter.wait('bob'))
  expect(limiter.health().sleepers).toBe(2)
  await clock.advance('1s')
  expect(limiter.health().sleepers).toBe(1)
  await clock.advance('1s')
  await Promise.all(all)
  expect(limiter.health().sleepers).toBe(0)
  expect(heard).toEqual([
    ['reserve', true, null, 'memory'],
    ['reserve', true, null, 'memory'],
    ['reserve', true, null, 'memory'],
    ['reserve', false, 'limited', 'memory'],
  ])
  await limiter.close()
})

it('observers hear of each act on a key: what, for how long, why and by whom', async () => {
  const heard: Act[] = []
  const policies = { visitor: oneASecond, account: oneASecond }
  const limiter = createLimiter({
    name: 'login',
    policies,
    observers: [{ acted: (act) => void heard.push(act) }],
  })
  const about = { why: 'scraper', by: 'alice' }
  await limiter.block('bob', '1h', about)
  await limiter.unblock({ visitor: 'bob', account: 'b@zoo.example' }, { by: 'alice' })
  await limiter.reset({ visitor: 'bob', account: notApplicable })
  await limiter.set('bob', 1, about)
  const shared = { limiter: 'login', atMs: expect.any(Number) }
  expect(heard).toEqual([
    { ...shared, act: 'block', policies: ['visitor', 'account'], key: 'bob', forMs: 3_600_000, ...about },
    { ...shared, act: 'unblock', policies: ['visitor'], key: 'bob', by: 'alice' },
    { ...shared, act: 'unblock', policies: ['account'], key: 'b@zoo.example', by: 'alice' },
    { ...shared, act: 'reset', policies: ['visitor'], key: 'bob' },
    { ...shared, act: 'set', policies: ['visitor'], key: 'bob', units: 1, ...about },
    { ...shared, act: 'set', policies: ['account'], key: 'bob', units: 1, ...about },
  ])
  await limiter.close()
})

it('observers hear of no act that the store has not done', async () => {
  const heard: Act[] = []
  const store: Store = {
    name: 'away',
    can: ['set'],
    answer: () => Promise.reject(new Error('away')),
    adjust: async () => {},
    manage: () => Promise.reject(new Error('away')),
    close: async () => {},
  }
  const observers = [{ acted: (act: Act) => void heard.push(act) }]
  const limiter = createLimiter({ policy: oneASecond, store, observers, logger })
  const acts = [
    () => limiter.block('bob', '1h'),
    () => limiter.unblock('bob'),
    () => limiter.reset('bob'),
    () => limiter.set('bob', 1),
  ]
  for (const act of acts) await expect(act()).rejects.toThrow('away')
  expect(heard).toEqual([])
  await limiter.close()
})
