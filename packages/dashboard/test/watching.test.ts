import { describe, expect, test } from '@jest/globals'
import { changeable } from '@sluice/conformance/every-strategy'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  multiWindow,
  type Policy,
  slidingWindowLog,
  uniform,
} from '@sluice/core'
import { loadLimits } from '@sluice/limits'
import { Edges } from '../src/edges.ts'
import type { RowInfo } from '../src/wire.ts'
import { type OnHand, onHand } from './on-hand.ts'

function factsOf({ sources }: OnHand, id: string): RowInfo | undefined {
  return sources.board.find(id)?.info
}

describe('a row', () => {
  // biome-ignore format: a table
  test.each([
    // policy                                                       rule                          adds up over  limit  shade
    [slidingWindowLog({ limit: 100, window: '10s' }),                '100 in 10 s',                   10,         100,  'sliding'],
    [fixedWindow({ limit: 5, window: '500ms' }),                     '5 in 500 ms',                    1,          10,  'fixed'],
    [slidingWindowLog({ limit: 5, window: '1.5s' }),                 '5 in 1500 ms',                   1,           5,  'sliding'],
    [fixedWindow({ limit: 1000, window: '1d' }),                     '1000 in 1 d',                 3600,        1000,  'fixed'],
    [gcra({ count: 10, period: '1s', burst: 20 }),                   '10/s, burst 20',                 2,          21,  'none'],
    [uniform({ interval: '10s' }),                                   '1 in 10 s',                     10,           1,  'none'],
    [concurrency({ limit: 12 }),                                     '12 at once',                    10,          12,  'in-flight'],
  ])('shows its policy in words and numbers: %#', (policy, rule, windowSeconds, limit, shade) => {
    const hand = onHand()
    const limiter = createLimiter({ name: 'a:b', policies: { everybody: policy }, store: hand.store, observers: [hand.watcher] })
    void limiter.check('x')
    const row = [...hand.sources.board.rows][0]?.info
    expect(row).toMatchObject({ id: 'a%3ab:everybody', limiter: 'a:b', policy: 'everybody', rule, windowSeconds, limit, shade })
  })

  test('of nested windows names them all', () => {
    const hand = onHand()
    const policy = multiWindow({
      limits: [
        { limit: 20, window: '1s' },
        { limit: 100, window: '10s' },
      ],
    })
    void createLimiter({ policy, store: hand.store, observers: [hand.watcher] }).check('x')
    expect(factsOf(hand, 'default:default')).toMatchObject({
      policy: '',
      shade: 'nested',
      windowsSeconds: [1, 10],
    })
  })

  test('has the limit of one key, and says that there are many', async () => {
    const hand = onHand()
    const limiter = createLimiter({
      policy: uniform({ interval: '1s' }),
      store: hand.store,
      observers: [hand.watcher],
    })
    await limiter.check(['user', 7])
    await limiter.check(['user', '7'])
    expect(factsOf(hand, 'default:default')).toMatchObject({ limit: 1, manyKeys: false })
    const { version } = hand.sources.board
    await limiter.check(['user', 8])
    expect(factsOf(hand, 'default:default')).toMatchObject({ limit: 1, manyKeys: true })
    expect(hand.sources.board.version).toBeGreaterThan(version)
  })

  test('of a policy that is another for each request has no limit, and is sent anew a few times only', async () => {
    const hand = onHand()
    const limiter = createLimiter({
      policy: gcra({ count: 1, period: '1s' }),
      store: hand.store,
      observers: [hand.watcher],
    })
    for (let i = 0; i < 100; i++)
      await limiter.check('bob', { policy: gcra({ count: 10 + (i % 2), period: '1s' }) })
    expect(factsOf(hand, 'default:default')).toMatchObject({ limit: null })
    expect(hand.sources.board.version).toBeLessThan(10)
  })

  test('of a tree of limits is known once a path has met it', async () => {
    const hand = onHand()
    const tree = { schema: { user: { children: { '*': { limits: [15, 30, 60] } } } } }
    const limits = await loadLimits({ tree, name: 'orders', store: hand.store, observers: [hand.watcher] })
    await limits.check(['user', 'alex'])
    expect(
      [...hand.sources.board.rows].map(({ info }) => [info.limiter, info.policy, info.strategy]),
    ).toEqual([['orders', 'user/*', 'GCRA']])
    await limits.close()
  })

  test('that is silent for an hour goes, unless its limiter is there', async () => {
    const hand = onHand()
    const stays = createLimiter({
      name: 'stays',
      policy: uniform({ interval: '1s' }),
      store: hand.store,
      observers: [hand.watcher],
    })
    const goes = createLimiter({
      name: 'goes',
      policy: uniform({ interval: '1s' }),
      store: hand.store,
      observers: [hand.watcher],
    })
    await stays.check('x')
    await goes.check('x')
    const { board } = hand.sources
    expect(board.prune(({ limiter }) => limiter === 'stays').map(({ id }) => id)).toEqual(['goes:default'])
    expect([...board.rows].map(({ id }) => id)).toEqual(['stays:default'])
  })
})

describe('fixed windows', () => {
  test('end when their decisions say', async () => {
    const hand = onHand()
    const limiter = createLimiter({
      policy: fixedWindow({ limit: 9, window: '10s' }),
      store: hand.store,
      observers: [hand.watcher],
    })
    const begin = hand.now()
    for (const wait of ['0.4s', '3s', '5s', '20s', '1s'] as const) {
      await hand.clock.advance(wait)
      await limiter.check('x')
    }
    const row = hand.sources.board.find('default:default')
    expect(row?.edgesSince(0)).toEqual([begin + 10.4, begin + 38.4].map((end) => expect.closeTo(end, 2)))
    expect(row?.edgesSince(begin + 11)).toHaveLength(1)
  })

  test('of many keys are not drawn, and of one no more than are kept', async () => {
    const hand = onHand()
    const limiter = createLimiter({
      policy: fixedWindow({ limit: 9, window: '1s' }),
      store: hand.store,
      observers: [hand.watcher],
    })
    const row = () => hand.sources.board.find('default:default')
    for (let i = 0; i < 500; i++) {
      await limiter.check('x')
      await hand.clock.advance('2s')
    }
    expect(row()?.edgesSince(0)).toHaveLength(128)
    await limiter.check('y')
    expect(row()?.edgesSince(0)).toEqual([])
  })

  test('are those of a clock that was set back, once it was', () => {
    const edges = new Edges(10)
    for (const end of [3600, 3610, 10, 20, 10, 20]) edges.see(end)
    expect(edges.since(0)).toEqual([10, 20])
  })
})

describe('what is under way', () => {
  test('is shown by the most of each second', async () => {
    const hand = onHand()
    const limiter = createLimiter({
      policy: concurrency({ limit: 3 }),
      store: hand.store,
      observers: [hand.watcher],
    })
    const second = Math.floor(hand.now())
    const held = [await limiter.check('tunnel'), await limiter.check('tunnel')]
    for (const decision of held) await decision.release()
    await limiter.check('tunnel')
    await hand.clock.advance('1s')
    await limiter.check('tunnel')
    const row = hand.sources.board.find('default:default')
    expect([second - 1, second, second + 1, second + 2].map((at) => row?.most(at, at))).toEqual([0, 2, 2, 0])
  })

  test('is looked at where no decision shows it', async () => {
    const limiters: unknown[] = []
    const hand = onHand({ limiters: () => limiters as never })
    const limiter = createLimiter({
      policy: concurrency({ limit: 3 }),
      store: hand.store,
      observers: [hand.watcher],
    })
    limiters.push(limiter)
    await limiter.check('tunnel')
    await hand.clock.advance('5s')
    hand.sources.refresh()
    await new Promise(setImmediate)
    const second = Math.floor(hand.now())
    expect(hand.sources.board.find('default:default')?.most(second, second)).toBe(1)
  })
})

test('thousands of limiters take no more room than two thousand and one', async () => {
  const hand = onHand()
  for (let i = 0; i < 5000; i++) {
    const limiter = createLimiter({
      name: `crowd ${i}`,
      policy: uniform({ interval: '1s' }),
      observers: [hand.watcher],
    })
    await limiter.check('x')
    await limiter.close()
  }
  expect([hand.sources.board.count, hand.sources.board.cut]).toEqual([2001, 3000])
  expect(hand.sources.board.find('other:')).toBeDefined()
})

describe('a row of a limit that is changed while it runs', () => {
  test('shows what is in force, however often that is another', async () => {
    const hand = onHand()
    const changing: { now: Policy | undefined } = { now: undefined }
    const policy = changeable(fixedWindow({ limit: 5, window: '1h' }), changing)
    const limiter = createLimiter({ policy, store: hand.store, observers: [hand.watcher] })
    for (const limit of [5, 9, 8, 7, 6, 4, 3]) {
      changing.now = limit === 5 ? undefined : fixedWindow({ limit, window: '1h' })
      await limiter.check('x')
      expect(factsOf(hand, 'default:default')).toMatchObject({ rule: `${limit} in 1 h`, limit })
    }
    await limiter.close()
  })
})
