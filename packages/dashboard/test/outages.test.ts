import { describe, expect, test } from '@jest/globals'
import { timesAsLong } from '@sluice/conformance/internal'
import { createLimiter, fixedWindow, guardedStore, slidingWindowLog, tokenBucket } from '@sluice/core'
import { Board } from '../src/board.ts'
import { tallyOf } from '../src/tally.ts'
import { elapsed, reasonOf, withoutAddresses } from '../src/words.ts'
import { broadcasterOf } from './broadcaster-of.ts'
import { type OnHand, onHand } from './on-hand.ts'
import { Recorded } from './recorded.ts'

const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:6379'), { code: 'ECONNREFUSED' })

/** The events that a guarded store sends all its limiters. */
function goesAway({ watcher }: OnHand, error: Error = refused): void {
  watcher.storeFailed({ kind: 'failed', store: 'redis', error, sinceMs: 0 })
  for (let limiters = 0; limiters < 3; limiters++)
    watcher.storeFailed({ kind: 'opened', store: 'redis', error, sinceMs: 0 })
  watcher.storeFailed({ kind: 'half-open', store: 'redis', sinceMs: 0 })
}

function comesBack({ watcher }: OnHand): void {
  for (let limiters = 0; limiters < 3; limiters++)
    watcher.storeRecovered({ kind: 'recovered', store: 'redis', sinceMs: 0 })
}

function eventsOf({ log }: OnHand) {
  return log.message().events.map(({ mark, title, text }) => [mark, title, text])
}

describe('a store that is away', () => {
  test('is reported once, and when it is back for how long it was away, and when counts are exact again', async () => {
    const hand = onHand()
    hand.sources.board.draw('tiger', 'visitor', slidingWindowLog({ limit: 5, window: '10s' }))
    hand.sources.board.draw('tiger', 'attraction', tokenBucket({ capacity: 50, count: 1, period: '2s' }))
    goesAway(hand)
    expect(hand.sources.store().awayFromMs).toBe(hand.now() * 1000)
    await hand.clock.advance('18s')
    const decision = { source: 'fallback', cost: 4, verdicts: {}, limiter: 'tiger' } as never
    for (let i = 0; i < 301; i++) hand.watcher.decided(decision, { operation: 'check' })
    comesBack(hand)
    expect(eventsOf(hand)).toEqual([
      ['live', 'Redis answers again', 'Away for 18 s, 1,204 decided locally.'],
      ['away', 'Redis does not answer', 'ECONNREFUSED. Counting in each process (onStoreFailure: local).'],
    ])
    // The bucket of 50 tokens is full again after 100 s.
    expect(hand.log.message().events[0]?.exactAtMs).toBe((hand.now() + 100) * 1000)
    expect(hand.sources.store().awayFromMs).toBeNull()
  })

  test('leaves counts exact again when the window of the calendar ends, and not one such window later', async () => {
    const hand = onHand()
    const monthly = fixedWindow({ limit: 100, every: 'month', timeZone: 'UTC' })
    hand.sources.board.draw('tiger', 'month', monthly)
    goesAway(hand)
    hand.watcher.decided({ source: 'fallback', cost: 4, verdicts: {}, limiter: 'tiger' } as never, {
      operation: 'check',
    })
    comesBack(hand)
    const now = new Date(hand.now() * 1000)
    const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
    expect(hand.log.message().events[0]?.exactAtMs).toBe(end)
  })

  test('has its first failure as its beginning: what was decided before the circuit opened is counted', async () => {
    const hand = onHand()
    hand.sources.board.draw('tiger', 'visitor', slidingWindowLog({ limit: 5, window: '10s' }))
    const failed = { kind: 'failed', store: 'redis', error: refused, sinceMs: 0 } as const
    const decision = { source: 'fallback', cost: 1, verdicts: {}, limiter: 'tiger' } as never
    const decide = () => {
      hand.watcher.storeFailed(failed)
      hand.watcher.decided(decision, { operation: 'check' })
    }
    // A failure of its own, long before.
    decide()
    await hand.clock.advance('1m')
    for (let i = 0; i < 3; i++) decide()
    hand.watcher.storeFailed({ ...failed, kind: 'opened' })
    decide()
    comesBack(hand)
    expect(eventsOf(hand)[0]?.[2]).toBe('Away for 0 s, 4 decided locally.')
  })

  test('in which this process counted nothing leaves nothing behind', () => {
    const hand = onHand()
    hand.sources.board.draw('tiger', 'visitor', slidingWindowLog({ limit: 5, window: '10s' }))
    goesAway(hand)
    comesBack(hand)
    const atMs = hand.now() * 1000
    expect(hand.log.message().events[0]).toEqual({
      atMs,
      mark: 'live',
      title: 'Redis answers again',
      text: 'Away for 0 s, 0 decided locally.',
      exactAtMs: atMs,
    })
  })

  test('is hatched in the seconds in which something was decided without it, and in no other', async () => {
    const hand = onHand()
    goesAway(hand)
    const { board } = hand.sources
    const second = 1_700_000_000
    const values = [0, 2, 3, 0, 0, 5, 0, 0, 0, 1]
    const points = {
      series: 'local:tiger',
      labels: { data: 'local', limiter: 'tiger' },
      fromMs: second * 1000,
      stepMs: 1000,
      values,
    }
    board.append(tallyOf([points], second, second + 9))
    expect(hand.sources.outages(second)).toEqual([
      [second + 1, second + 3],
      [second + 5, second + 6],
      [second + 9, second + 10],
    ])
    comesBack(hand)
    await hand.clock.advance('16s')
    expect(hand.sources.outages(second + 6)).toEqual([[second + 9, second + 10]])
  })

  // biome-ignore format: a table
  test.each([
    // onStoreFailure  words
    ['local', 'Counting in each process (onStoreFailure: local).'],
    ['allow', 'Everything passes (onStoreFailure: allow).'],
    ['deny',  'Every request is refused with 503 (onStoreFailure: deny).'],
  ] as const)('says what policies do meanwhile: %s', async (onStoreFailure, words) => {
    const store = { name: 'redis', answer: () => Promise.reject(refused), adjust() {}, manage: () => Promise.reject(refused), async close() {} }
    const hand = onHand()
    const guarded = guardedStore(store)
    const logger = { warn() {}, error() {} }
    const policy = slidingWindowLog({ limit: 5, window: '10s' })
    const limiter = createLimiter({ policy, store: guarded, onStoreFailure, observers: [hand.watcher], logger })
    await limiter.check('bob')
    goesAway(hand)
    expect(eventsOf(hand)).toEqual([['away', 'Redis does not answer', `ECONNREFUSED. ${words}`]])
    expect(hand.sources.store().onFailure).toBe(onStoreFailure)
    await limiter.close()
    await guarded.close()
  })

  test('says where limiters do different things, and forgets that with the next outage', async () => {
    const hand = onHand()
    hand.sources.board.draw('tiger', 'visitor', slidingWindowLog({ limit: 5, window: '10s' }))
    const counted = { source: 'fallback', cost: 1, verdicts: {}, limiter: 'tiger' } as never
    const denied = {
      source: 'none',
      reason: 'store-unavailable',
      cost: 1,
      verdicts: {},
      limiter: 'lion',
    } as never
    const { watcher } = hand
    watcher.storeFailed({ kind: 'failed', store: 'redis', error: refused, sinceMs: 0 })
    for (const decision of [counted, denied]) watcher.decided(decision, { operation: 'check' })
    goesAway(hand)
    expect(hand.sources.store().onFailure).toBe('mixed')
    expect(eventsOf(hand)).toEqual([
      ['away', 'Redis does not answer', 'ECONNREFUSED. Each limiter decides as its onStoreFailure says.'],
    ])
    comesBack(hand)
    // What was counted here matters as long as the window, though another limiter was the last to decide.
    expect(hand.log.message().events[0]?.exactAtMs).toBe((hand.now() + 10) * 1000)
    goesAway(hand)
    watcher.decided(denied, { operation: 'check' })
    expect(hand.sources.store().onFailure).toBe('deny')
  })
})

function said(message: string): Error {
  return Object.assign(new Error(message), { code: 'SLUICE_STORE' })
}

// biome-ignore format: a table
test.each([
  // error                                                               words
  [refused,                                                             'ECONNREFUSED.'],
  [said('no answer within 100 ms'),                                     'No answer within 100 ms.'],
  [said('not connected'),                                               'Not connected.'],
  [said('not connected: connect ECONNREFUSED 10.0.0.7:6379'),           'ECONNREFUSED.'],
  [said('not connected: getaddrinfo EAI_AGAIN redis.internal'),         'EAI_AGAIN.'],
  [said('not connected: WRONGPASS invalid username-password pair'),     'WRONGPASS.'],
  [said('not connected: Socket timeout'),                               'Not connected.'],
  [said('no connection to 10.0.0.7:6379'),                              'It failed.'],
  [new Error('READONLY You can\'t write against a read only replica 10.0.0.7'), 'READONLY.'],
  [said('redis://user:secret@10.0.0.7'),                                'It failed.'],
  [new TypeError('10.0.0.7 is not a function'),                         'TypeError.'],
  [Object.assign(new Error('x'), { code: 'at 10.0.0.7' }),              'It failed.'],
  ['10.0.0.7',                                                          'It failed.'],
  [undefined,                                                           'It failed.'],
])('of an error its code is shown, and no address: %#', (error, words) => {
  expect(reasonOf(error)).toBe(words)
})

// biome-ignore format: a table
test.each([
  // text                                                          without addresses
  ['is lost: connect ECONNREFUSED 10.0.0.7:6379',                  'is lost: connect ECONNREFUSED (address)'],
  ['connect ETIMEDOUT ::1:6379',                                   'connect ETIMEDOUT (address)'],
  ['no connection to [fd00::7]:6379 now',                          'no connection to (address) now'],
  ['getaddrinfo ENOTFOUND redis.internal:6379',                    'getaddrinfo ENOTFOUND (address)'],
  ['redis://user:secret@redis.internal/0 is gone',                 '(address) is gone'],
  ['10.0.0.7 is gone',                                             '(address) is gone'],
  ['at 7http://redis.internal, cache-1.zoo.internal:6379 too',     'at (address) (address) too'],
  ['limits of 10.5 s: two limiters, in a ratio of 1:2',             'limits of 10.5 s: two limiters, in a ratio of 1:2'],
])('%s is shown as %s', (text, shown) => {
  expect(withoutAddresses(text)).toBe(shown)
})

test.each([
  [400, '0 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [190_000, '3 min 10 s'],
  [7_500_000, '2 h 5 min'],
])('%i ms are %s', (ms, words) => {
  expect(elapsed(ms)).toBe(words)
})

describe('the store', () => {
  const health = {
    status: 'ok',
    store: 'redis',
    sinceMs: 5000,
    failures: 2,
    lateReplies: 1,
    fallbackDecisions: 7,
    keys: 0,
    warnings: [],
  }
  function limiterOf(name: string, more: object): never {
    const none = async () => ({})
    return { name, policies: {}, inspect: none, block: none, unblock: none, reset: none, ...more } as never
  }

  test('that limiters share is counted once, and the worst of several is shown', () => {
    const shared = {}
    const down = { ...health, store: 'other', status: 'down', sinceMs: 42_000, failures: 3 }
    const hand = onHand({
      limiters: [
        limiterOf('a', { store: shared, health: () => health }),
        limiterOf('b', { store: shared, health: () => health }),
        limiterOf('c', { store: {}, health: () => down }),
      ],
    })
    hand.sources.refresh()
    expect(hand.sources.store()).toEqual({
      event: 'store',
      name: 'other',
      status: 'down',
      sinceMs: 42_000,
      failures: 5,
      lateReplies: 2,
      fallbackDecisions: 14,
      localUnits: 0,
      onFailure: 'local',
      awayFromMs: (hand.now() - 42) * 1000,
    })
  })

  test('has no name while no limiter was given that knows it, until it goes away', () => {
    const hand = onHand()
    expect(hand.sources.store()).toMatchObject({ name: '', status: 'ok', awayFromMs: null })
    goesAway(hand)
    expect(hand.sources.store()).toMatchObject({ name: 'redis', status: 'down' })
  })

  test('that was away before anybody looked is away no more once it answers', async () => {
    let status = 'down'
    const hand = onHand({ limiters: [limiterOf('a', { health: () => ({ ...health, status }) })] })
    hand.sources.refresh()
    expect(hand.sources.store().awayFromMs).not.toBeNull()
    status = 'ok'
    await hand.clock.advance('1s')
    expect(hand.sources.store().awayFromMs).toBeNull()
  })
})

describe('events', () => {
  test('are those of the last 24 hours, two hundred at most, the newest first', async () => {
    const hand = onHand()
    for (let i = 0; i < 300; i++) hand.log.add(`event ${i}`, '')
    expect(eventsOf(hand)).toHaveLength(200)
    expect(eventsOf(hand)[0]?.[1]).toBe('event 299')
    await hand.clock.advance('12h')
    hand.log.add('later', '')
    await hand.clock.advance('12h')
    expect(eventsOf(hand)).toEqual([['', 'later', '']])
  })

  test('show a warning once an hour', async () => {
    const hand = onHand()
    const warning = { code: 'SLUICE_MAX_SLEEPERS', message: 'as many callers wait as may' }
    for (let i = 0; i < 5; i++) hand.watcher.warned(warning)
    await hand.clock.advance('61m')
    hand.watcher.warned(warning)
    expect(eventsOf(hand)).toEqual([
      ['', 'SLUICE_MAX_SLEEPERS', 'as many callers wait as may'],
      ['', 'SLUICE_MAX_SLEEPERS', 'as many callers wait as may'],
    ])
  })
})

describe('events that were kept', () => {
  const later = () => {
    const recorded = new Recorded()
    const before = broadcasterOf(recorded)
    const after = broadcasterOf(recorded)
    const textsOf = ({ parts }: typeof after, masked = true) =>
      parts.log.message(masked).events.map(({ title, text }) => [title, text])
    return { recorded, before, after, textsOf }
  }
  const bob = { act: 'block', limiter: 'zoo', policies: ['visitor'], key: 'bob-the-builder' } as const

  test('are shown after a restart, in their order, and masked as before', async () => {
    const { recorded, before, after, textsOf } = later()
    before.parts.watcher.acted({ ...bob, atMs: recorded.nowMs(), forMs: 60_000, by: 'alice' })
    recorded.clock += 60
    after.parts.log.add('began', '')
    recorded.clock += 60
    before.parts.log.add('ended', '')
    expect(textsOf(after)).toEqual([['began', '']])
    await after.parts.log.recall()
    expect(textsOf(after, false)).toEqual([
      ['ended', ''],
      ['began', ''],
      ['Key blocked', 'zoo / visitor, bob-the-builder, for 1 min, by alice.'],
    ])
    expect(textsOf(after).at(-1)).toEqual(textsOf(before).at(-1))
    expect(JSON.stringify(textsOf(after))).not.toContain('builder')
  })

  test('by several processes about one outage or one act are shown once', async () => {
    const { recorded, before, after, textsOf } = later()
    for (const seconds of [0, 3]) {
      recorded.clock += seconds
      before.parts.log.add('Redis does not answer', 'ECONNREFUSED.', { mark: 'away' })
      before.parts.log.add('Redis answers again', `Away for ${seconds} s`, { mark: 'live' })
      before.parts.log.add('Key blocked', 'bob')
    }
    before.parts.log.add('Key blocked', 'alice')
    recorded.clock += 11
    before.parts.log.add('Key blocked', 'bob')
    await after.parts.log.recall()
    expect(textsOf(after).map(([title]) => title)).toEqual([
      'Key blocked',
      'Key blocked',
      'Key blocked',
      'Redis answers again',
      'Redis does not answer',
    ])
  })

  test('are asked for again until they can be read, and then no more', async () => {
    const { recorded, before, after, textsOf } = later()
    before.parts.log.add('kept', '')
    recorded.fails = true
    await after.parts.log.recall()
    expect(textsOf(after)).toEqual([])
    recorded.fails = false
    await after.parts.log.recall()
    recorded.addEvent({
      atMs: recorded.nowMs(),
      text: '{"mark":"","title":"late","text":"","maskedText":""}',
    })
    await after.parts.log.recall()
    expect(textsOf(after)).toEqual([['kept', '']])
  })

  test.each([
    '',
    'null',
    '5',
    '{}',
    '{"mark":"","title":5,"text":"","maskedText":""}',
    '{"mark":"gone","title":"","text":"","maskedText":""}',
  ])('by another program are left out: %s', async (text) => {
    const { recorded, after, textsOf } = later()
    recorded.addEvent({ atMs: recorded.nowMs(), text })
    await after.parts.log.recall()
    expect(textsOf(after)).toEqual([])
  })
})

describe('what a function of the user has thrown', () => {
  const settle = 'the charge stays, as settle failed: no balance for sk-live-0123456789abcdef'
  const job = 'a job of the queue "orders" has failed for good: no such user bob (ticket x)'
  // biome-ignore format: a table
  test.each([
    // code                      message                          masked                                                      in the open
    ['SLUICE_SETTLE_FAILED',     settle,                          'the charge stays, as settle failed: no balan••••••',       settle],
    ['SLUICE_SETTLE_FAILED',     'settle failed: bob',            'settle failed: bo•',                                       'settle failed: bob'],
    ['SLUICE_UPGRADE_FAILED',    'answered with 500: 192.0.2.77', 'answered with 500: 192.0.2.••',                            'answered with 500: (address)'],
    ['SLUICE_QUEUE_JOB_FAILED',  job,                             'a job of the queue "orders" has failed for good: no such ••••••', job],
    ['OF_ANOTHER_STORE',         'bob has no room: come back',    'bob has ••••••',                                           'bob has no room: come back'],
    ['OF_ANOTHER_STORE',         'alice@example.com is unknown',  'alice@ex••••••',                                           'alice@example.com is unknown'],
    ['SLUICE_LONG_WAIT',         'maxWait is 60000 ms: too long', 'maxWait is 60000 ms: too long',                            'maxWait is 60000 ms: too long'],
  ])('is shown no further than a key, where keys are masked: %s, %s', (code, message, masked, open) => {
    for (const [maskKeys, shown] of [[true, masked], [false, open]] as const) {
      const hand = onHand()
      hand.watcher.warned({ code, message })
      const [event] = hand.log.message(maskKeys).events
      expect([event?.title, event?.text]).toEqual([code, shown])
    }
  })
})

test('a board that has forgotten all begins anew', () => {
  const board = new Board()
  board.append(tallyOf([], 100, 200))
  board.forget()
  expect([board.empty, board.firstSecond, board.lastSecond]).toEqual([true, 0, -1])
})

test.each(['a', 'a-', 'a.', '1.', 'f', 'f:', '[f', '://'])(
  'addresses are looked for in one pass, whatever a message repeats: %s',
  async (piece) => {
    const textOf = (length: number) => piece.repeat(length / piece.length)
    expect(await timesAsLong(withoutAddresses, textOf, 30_000)).toBeLessThan(10)
  },
)
