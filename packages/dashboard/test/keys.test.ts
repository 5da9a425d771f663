import { describe, expect, jest, test } from '@jest/globals'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '@sluice/core'
import { keyText, mask } from '../src/mask.ts'
import type { NearKey } from '../src/wire.ts'
import { minute, type OnHand, onHand } from './on-hand.ts'

function keysOf({ sources }: OnHand): readonly NearKey[] {
  return sources.keysIn({ ...minute, masked: false }).keys
}

describe('a key', () => {
  // biome-ignore format: a table
  test.each([
    // key                               masked                 in the open
    ['bob',                              'bo•',                 'bob'],
    ['alex',                             'al••',                'alex'],
    ['b',                                '•',                   'b'],
    ['bo',                               'b•',                  'bo'],
    ['203.0.113.77',                     '203.0.113.••',        '203.0.113.77'],
    ['2001:db8:1:2::/64',                '2001:db8••••••',      '2001:db8:1:2::/64'],
    ['sk-live-0123456789abcdef01234567', 'sk-live-••••••',      'sk-live-0123456789abcdef01234567'],
    ['🦁🐯🐻',                           '🦁🐯•',               '🦁🐯🐻'],
    [1234,                               '12••',                '1234'],
    [7n,                                 '•',                   '7'],
    [['user', 'alex', 'trade'],          'us•• / al•• / tra••', 'user / alex / trade'],
    // Signs that turn the letters behind them, or that nobody sees.
    ['bo\u202eb\u009b',                   'bo\\u{202e}••',        'bo\\u{202e}b\\u{9b}'],
    ['x'.repeat(300),                    'xxxxxxxx••••••',      `${'x'.repeat(100)}…`],
  ])('%p is shown as %s', (key, masked, open) => {
    expect([keyText(key, true), keyText(key, false)]).toEqual([masked, open])
  })

  test('of a megabyte is cut before it is made visible', () => {
    const replace = jest.spyOn(String.prototype, 'replace')
    const text = '\0'.repeat(1_000_000)
    const shown = [keyText(text, false), keyText(Array(100_000).fill('a'), false)]
    const read = replace.mock.contexts.map((each) => String(each).length)
    replace.mockRestore()
    expect(shown).toEqual([`${'\\u{0}'.repeat(20)}…`, `${'a / '.repeat(25)}…`])
    expect([read.length, Math.max(...read)]).toEqual([101, 101])
  })

  test.each(['', '1.2.3', '1.2.3.4.5', '1.2.3.4567'])('%p is no address', (text) => {
    expect(mask(text)).not.toMatch(/^\d\.\d\.\d\.••$/)
  })
})

describe('keys near their limit', () => {
  test('are at a limit of fractions only when nothing is left of it', async () => {
    const hand = onHand()
    const policy = fixedWindow({ limit: 1, window: '1h', unit: 0.01 })
    const limiter = createLimiter({ name: 'budget', policy, store: hand.store, observers: [hand.watcher] })
    await limiter.check('bob', { cost: 0.9 })
    expect(keysOf(hand)).toMatchObject([{ key: 'bob', limit: 1, againInMs: null }])
    await limiter.check('bob', { cost: 0.1 })
    expect(keysOf(hand)).toMatchObject([{ key: 'bob', used: 1, againInMs: 3_600_000 }])
  })

  test('of more than 4000 characters are not kept in mind, as a client may write a megabyte into each', async () => {
    const hand = onHand()
    const policy = fixedWindow({ limit: 1, window: '1h' })
    const limiter = createLimiter({ name: 'login', policy, store: hand.store, observers: [hand.watcher] })
    const long = 'x'.repeat(4001)
    for (const key of [long, ['a', long], Array(4000).fill('b'), 'x'.repeat(4000), 'bob'])
      await limiter.check(key)
    expect(keysOf(hand).map(({ key }) => key.slice(0, 9))).toEqual(
      expect.arrayContaining(['x'.repeat(9), 'bob']),
    )
    expect(keysOf(hand)).toHaveLength(2)
  })

  test('are shown no longer when those inside have left, which no decision shows', async () => {
    const limiters: unknown[] = []
    const hand = onHand({ limiters: () => limiters as never })
    const policy = concurrency({ limit: 2 })
    const limiter = createLimiter({ policy, store: hand.store, observers: [hand.watcher] })
    limiters.push(limiter)
    const inside = [
      await limiter.check('tunnel'),
      await limiter.check('tunnel'),
      await limiter.check('tunnel'),
    ]
    expect(keysOf(hand).map(({ used }) => used)).toEqual([2])
    for (const decision of inside) await decision.release()
    hand.sources.refresh()
    await new Promise(setImmediate)
    expect(keysOf(hand)).toEqual([])
    expect(hand.keys.atLimit()).toBe(0)
  })

  test('are shown from 80 % on, the fullest first, and those in front that wait longer', async () => {
    const hand = onHand()
    const policy = slidingWindowLog({ limit: 10, window: '10s' })
    const limiter = createLimiter({ name: 'tiger', policy, store: hand.store, observers: [hand.watcher] })
    for (const [key, units] of [
      ['seven', 7],
      ['eight', 8],
      ['nine', 9],
    ] as const)
      await limiter.check(key, { cost: units })
    await hand.clock.advance('1s')
    await limiter.check('late', { cost: 10 })
    await limiter.check('late')
    await limiter.check('full', { cost: 10 })
    expect(
      keysOf(hand).map(({ key, used, limit, againInMs, refused }) => [key, used, limit, againInMs, refused]),
    ).toEqual([
      ['late', 10, 10, 10_000, 0],
      ['full', 10, 10, null, 0],
      ['nine', 9, 10, null, 0],
      ['eight', 8, 10, null, 0],
    ])
    expect(hand.keys.atLimit()).toBe(2)
  })

  test('of one network are one line of each policy from three on, with the numbers of the fullest', async () => {
    const hand = onHand()
    const policy = slidingWindowLog({ limit: 10, window: '1h' })
    const [login, search] = ['login', 'search'].map((name) =>
      createLimiter({ name, policy, store: hand.store, observers: [hand.watcher] }),
    )
    // What is near a limit, and how many more are refused.
    for (const [key, units, refusals] of [
      ['203.0.113.7', 9, 0],
      ['203.0.113.8', 10, 2],
      ['203.0.113.9', 8, 0],
      ['2001:db8:7:1::/64', 9, 0],
      ['2001:db8:7:2::/64', 9, 1],
      ['2001:db8:7:3::/64', 10, 1],
      ['198.51.100.1', 9, 0],
      ['198.51.100.2', 9, 0],
      ['bob', 9, 0],
    ] as const) {
      await login?.check(key, { cost: units })
      for (let i = 0; i < refusals; i++) await login?.check(key, { cost: 3 })
    }
    await search?.check('203.0.113.7', { cost: 9 })
    const span = { lastSecond: Math.floor(hand.now()), seconds: 60 }
    const lines = hand.keys.shown({ ...span, masked: false }).keys
    const shown = lines.map(({ limiter, key, within, used, refused }) => [
      limiter,
      key,
      within,
      used,
      refused,
    ])
    expect(shown).toEqual([
      ['login', '203.0.113.0/24 (3 keys)', '203.0.113.', 10, 6],
      ['login', '2001:db8:7::/48 (3 keys)', '2001:db8:7:', 10, 6],
      ['login', '198.51.100.1', null, 9, 0],
      ['login', '198.51.100.2', null, 9, 0],
      ['login', 'bob', null, 9, 0],
      ['search', '203.0.113.7', null, 9, 0],
    ])
    const masked = hand.sources
      .keysIn({ ...minute, masked: true })
      .keys.map(({ key, within }) => [key, within])
    expect(masked.slice(0, 2)).toEqual([
      ['203.0.113.•• (3 keys)', '203.0.113.'],
      ['2001:db8•••••• (3 keys)', '2001:db8'],
    ])
  })

  test('of one network are one line for as long as it lasts, which is no key, and each is found by what they begin with', async () => {
    const hand = onHand()
    const policy = fixedWindow({ limit: 1, window: '1h' })
    const limiter = createLimiter({ name: 'login', policy, store: hand.store, observers: [hand.watcher] })
    const asked = async (...keys: readonly string[]) => {
      for (const key of keys) await limiter.check(key)
      return keysOf(hand).map(({ id, key }) => [id, key])
    }
    const [[id = '', three] = []] = await asked('203.0.113.1', '203.0.113.2', '203.0.113.3')
    expect(three).toBe('203.0.113.0/24 (3 keys)')
    expect(await asked('203.0.113.4', '203.0.113.4')).toEqual([[id, '203.0.113.0/24 (4 keys)']])
    expect(hand.keys.find(id)).toBeUndefined()
    const found = hand.keys.shown({ lastSecond: 0, seconds: 60, masked: false, text: '203.0.113.' })
    expect(found.keys.map(({ key }) => key).sort()).toEqual([1, 2, 3, 4].map((end) => `203.0.113.${end}`))
  })

  test('are gone when the time that they were asked to wait has passed', async () => {
    const hand = onHand()
    const limiter = createLimiter({
      policy: uniform({ interval: '7s' }),
      store: hand.store,
      observers: [hand.watcher],
    })
    await limiter.check('bob')
    expect(keysOf(hand)).toMatchObject([{ key: 'bob', used: 1, limit: 1, againInMs: 7000 }])
    await hand.clock.advance(6999)
    expect(keysOf(hand)).toMatchObject([{ key: 'bob', againInMs: 1 }])
    await hand.clock.advance(1)
    expect([keysOf(hand), hand.keys.atLimit()]).toEqual([[], 0])
  })

  // biome-ignore format: a table
  test.each([
    // strategy                                                         taken     again in
    ['uniform',       uniform({ interval: '7s' }),                        1,         7000],
    ['gcra',          gcra({ count: 10, period: '10s' }),                10,         1000],
    ['tokenBucket',   tokenBucket({ capacity: 8, count: 4, period: '1s' }), 8,        250],
    ['fixedWindow',   fixedWindow({ limit: 10, window: '7s' }),          10,         7000],
    // When the first of them came is not known.
    ['slidingWindowLog', slidingWindowLog({ limit: 10, window: '7s' }),  10,         null],
  ])('that are just full say when one unit is free, where it is known: %s', async (_strategy, policy, units, again) => {
    const hand = onHand()
    const limiter = createLimiter({ policy, store: hand.store, observers: [hand.watcher] })
    for (let i = 0; i < units; i++) await limiter.check('bob')
    expect(keysOf(hand)).toMatchObject([{ used: units, againInMs: again }])
    expect(hand.keys.atLimit()).toBe(1)
    await hand.clock.advance((again ?? 7000) - 1)
    expect((await limiter.peek('bob')).remaining).toBe(0)
    expect(hand.keys.atLimit()).toBe(1)
    await hand.clock.advance(1)
    expect(hand.keys.atLimit()).toBe(0)
  })

  test('leave when they have room again', async () => {
    const hand = onHand()
    const limiter = createLimiter({
      policy: gcra({ count: 10, period: '10s' }),
      store: hand.store,
      observers: [hand.watcher],
    })
    await limiter.check('bob', { cost: 10 })
    expect(keysOf(hand)).toHaveLength(1)
    await hand.clock.advance('8s')
    await limiter.check('bob')
    expect(keysOf(hand)).toEqual([])
  })

  test('say that they are blocked, and for how long', async () => {
    const hand = onHand()
    const limiter = createLimiter({
      policy: gcra({ count: 10, period: '10s' }),
      store: hand.store,
      observers: [hand.watcher],
    })
    await limiter.block('bob', '10m')
    await limiter.check('bob')
    await hand.clock.advance('1m')
    expect(keysOf(hand)).toMatchObject([{ key: 'bob', used: 10, limit: 10, blockedMs: 540_000 }])
  })

  test('show how much of them was refused in the span', async () => {
    const hand = onHand()
    const limiter = createLimiter({
      policy: uniform({ interval: '10m' }),
      store: hand.store,
      observers: [hand.watcher],
    })
    await limiter.check('bob')
    for (const wait of ['10s', '50s', '9s'] as const) {
      await hand.clock.advance(wait)
      await limiter.check('bob', { cost: 3 })
    }
    const shown = [10, 59, 60, 69, 3600].map((seconds) => {
      const shown = hand.keys.shown({ lastSecond: hand.now(), seconds, masked: true })
      return [seconds, shown.keys[0]?.refused]
    })
    expect(shown).toEqual([
      [10, 6],
      [59, 6],
      [60, 9],
      [69, 9],
      [3600, 9],
    ])
  })

  test('of different policies and kinds are never one', async () => {
    const hand = onHand()
    const policies = { a: uniform({ interval: '10s' }), b: uniform({ interval: '10s' }) }
    const limiter = createLimiter({ policies, store: hand.store, observers: [hand.watcher] })
    for (const key of ['a:b', ['a', 'b'], 7, '7']) await limiter.check(key)
    expect(
      keysOf(hand)
        .map(({ policy, key }) => `${policy} ${key}`)
        .sort(),
    ).toEqual(['a 7', 'a a / b', 'a a:b', 'b 7', 'b a / b', 'b a:b'])
  })

  test('are a thousand at most, of which twenty are shown, and make room when their time has passed', async () => {
    const hand = onHand()
    const limiter = createLimiter({
      policy: uniform({ interval: '10s' }),
      store: hand.store,
      observers: [hand.watcher],
    })
    for (let i = 0; i < 3000; i++) await limiter.check(`early ${i}`)
    expect([hand.keys.atLimit(), keysOf(hand).length]).toEqual([1000, 20])
    await hand.clock.advance('11s')
    for (let i = 0; i < 3000; i++) await limiter.check(`late ${i}`)
    expect(hand.keys.atLimit()).toBe(1000)
    expect(keysOf(hand).every(({ key }) => key.startsWith('late'))).toBe(true)
  })

  test('are handed out by ids that hold, of which two thousand are remembered', async () => {
    const hand = onHand()
    const limiter = createLimiter({
      policy: uniform({ interval: '1s' }),
      store: hand.store,
      observers: [hand.watcher],
    })
    const ids = new Set<string>()
    for (let round = 0; round < 150; round++) {
      for (let i = 0; i < 20; i++) await limiter.check(`${round} ${i}`)
      for (const { id } of keysOf(hand)) ids.add(id)
      await hand.clock.advance('2s')
    }
    expect(ids.size).toBe(3000)
    const remembered = [...ids].filter((id) => hand.keys.find(id) !== undefined)
    expect(remembered).toEqual([...ids].slice(1000))
    expect(hand.keys.find(remembered[0] ?? '')?.key).toBe('50 0')
  })

  test('are not counted by what is no count', async () => {
    const hand = onHand()
    const limiter = createLimiter({
      policy: fixedWindow({ limit: 1, window: '1m' }),
      store: hand.store,
      observers: [hand.watcher],
    })
    await limiter.peek('bob')
    hand.watcher.decided(
      { ...(await limiter.peek('bob')), source: 'none', allowed: true, remaining: 0, verdicts: {} } as never,
      { operation: 'check' },
    )
    expect(keysOf(hand)).toEqual([])
  })
})
