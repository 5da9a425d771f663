import { describe, expect, jest, test } from '@jest/globals'
import { adaptiveLimit, type Priority, type Shed, shedding } from '@sluice/adaptive'
import { manualClock } from '@sluice/testing'

/** An event loop that is as late as a test says. */
class Late {
  delayMs = 0
  closed = false
  close(): void {
    this.closed = true
  }
}

const priorities: readonly Priority[] = ['sheddable', 'default', 'critical']

function of(options: Parameters<typeof shedding>[0] = {}) {
  const loopDelay = new Late()
  const limit = adaptiveLimit({ initial: 10, max: 20, clock: manualClock() })
  const load = shedding({ limit, loopDelay, random: () => 0.5, ...options })
  /** Why each priority is refused; a place that one gets is given back. */
  const refused = (waitedMs = 0) =>
    priorities.map((priority) => {
      const admitted = load.admit(priority, waitedMs)
      if (!admitted.allowed) return admitted.reason
      admitted.release()
      return undefined
    })
  return { load, limit, loopDelay, refused }
}

describe('sheddable goes first, then default, and critical at the hard bound', () => {
  const [no, loop, queueing, full] = [undefined, 'event-loop', 'queueing', 'limit']

  // biome-ignore format: a table
  const late = [
    // ms late, why each is refused
    [  0, no,   no,   no  ],
    [ 50, no,   no,   no  ],
    [ 51, loop, no,   no  ],
    [100, loop, no,   no  ],
    [101, loop, loop, no  ],
    [500, loop, loop, no  ],
    [501, loop, loop, loop],
  ] as const
  test.each(late)('the event loop is %d ms late', (delayMs, ...expected) => {
    const { loopDelay, refused } = of()
    loopDelay.delayMs = delayMs
    expect(refused()).toEqual(expected)
  })

  // biome-ignore format: a table
  const waited = [
    // ms waited, why each is refused
    [ 200, no,       no,       no      ],
    [ 201, queueing, no,       no      ],
    [1001, queueing, queueing, no      ],
    [5001, queueing, queueing, queueing],
  ] as const
  test.each(waited)('a request has waited for %d ms', (waitedMs, ...expected) => {
    expect(of({ queueing: { header: 'X-Request-Start' } }).refused(waitedMs)).toEqual(expected)
    expect(of().refused(waitedMs)).toEqual([no, no, no]) // off unless a header is named
  })

  // biome-ignore format: a table
  const taken = [
    // places taken of 10, at most 20; why each is refused
    [ 7, no,   no,   no  ],
    [ 8, full, no,   no  ],
    [ 9, full, no,   no  ],
    [10, full, full, no  ],
    [19, full, full, no  ],
    [20, full, full, full],
  ] as const
  test.each(taken)('%d places are taken', (places, ...expected) => {
    const { load, refused } = of()
    for (let i = 0; i < places; i++) load.admit('critical')
    expect(refused()).toEqual(expected)
  })
})

test('the time to come again is drawn for each refusal', () => {
  const draws = [0, 0.25, 0.999]
  const sheds: Shed[] = []
  const { load, loopDelay } = of({
    random: () => draws.shift() ?? 0,
    retryAfter: ['2s', '6s'],
    onShed: (shed) => {
      sheds.push(shed)
      throw new Error('a broken observer')
    },
  })
  loopDelay.delayMs = 1000
  for (let i = 0; i < 3; i++) load.admit()
  expect(sheds.map(({ retryAfterMs }) => retryAfterMs)).toEqual([2000, 3000, 5996])
  expect(sheds[0]).toEqual({ allowed: false, priority: 'default', reason: 'event-loop', retryAfterMs: 2000 })
})

test('what onShed promises and does not keep ends no process', () => {
  const broken = Promise.reject(new Error('a broken observer'))
  const then = jest.spyOn(broken, 'then')
  const { load, loopDelay } = of({ onShed: () => broken })
  loopDelay.delayMs = 1000
  load.admit()
  expect(then).toHaveBeenCalledTimes(1)
})

test('a priority that there is not is an OptionError, and takes no place', () => {
  const { load, limit } = of()
  expect(() => load.admit('hihg' as Priority)).toThrow(
    'priority: expected "critical" or "default" or "sheddable", got "hihg"',
  )
  expect(() => load.admit('constructor' as Priority)).toThrow('priority: ')
  expect(limit.inFlight).toBe(0)
})

test('close ends what measures the event loop', () => {
  const { load, loopDelay } = of()
  load.close()
  expect(loopDelay.closed).toBe(true)
})

// biome-ignore format: a table
const wrong = [
  [{ limit: {} },                                          'limit: expected a limit of adaptiveLimit(), got an object'],
  [{ sheddableShare: 80 },                                 'sheddableShare: expected a number from 0 to 1, got 80 (number)'],
  [{ eventLoopDelay: { default: '10ms' } },                'eventLoopDelay.default: expected at least what a less important priority has, 50 ms, got "10ms"'],
  [{ eventLoopDelay: { low: '10ms' } },                    'eventLoopDelay.low: expected a known option'],
  [{ eventLoopDelay: { sheddable: '1s' } },                'eventLoopDelay.default: expected at least what a less important priority has, 1000 ms, got 100 (number)'],
  [{ queueing: 'X-Request-Start' },                        'queueing: expected options such as { header: "X-Request-Start" }, got "X-Request-Start"'],
  [{ queueing: { header: 'a b' } },                        'queueing.header: expected the name of a header such as "X-Request-Start", got "a b"'],
  [{ retryAfter: ['5s', '1s'] },                           'retryAfter: expected two durations such as ["1s", "5s"], the shorter one first, got a list of 2'],
  [{ retryAfter: '5s' },                                   'retryAfter: expected two durations'],
  [{ loopDelay: 20 },                                      'loopDelay: expected an object with delayMs and close(), got 20 (number)'],
  [{ prioritiy: 1 },                                       'prioritiy: expected a known option'],
] as const
test.each(wrong)('%j is an OptionError', (options, message) => {
  expect(() => shedding(options as object)).toThrow(message)
})

// biome-ignore format: a table
const headers = [
  // written by a proxy, ms waited at 1,700,000,001,000 ms
  ['t=1700000000.250',            750], // nginx
  ['1700000000.250',              750],
  ['1700000000250',               750], // Heroku
  ['t=1700000000250000',          750], // Apache
  ['1700000001000',                 0],
  ['1700000002000',                 0], // a clock that is ahead
  ['1699999000000',                 0], // older than any request
  ['',                              0],
  ['t=',                            0],
  ['-1700000000250',                0],
  ['1e12',                          0],
  ['9'.repeat(10_000),              0],
  ['1700000000250, 1700000000250',  0], // sent twice
  [undefined,                       0],
] as const
test.each(headers)('%j in X-Request-Start', (value, waitedMs) => {
  const { load } = of({ queueing: { header: 'X-Request-Start' }, nowMs: () => 1_700_000_001_000 })
  expect(load.waitedMs({ 'x-request-start': value })).toBe(waitedMs)
  expect(of().load.waitedMs({ 'x-request-start': value })).toBe(0)
})

test('its health says what goes on, and what was refused by priority and reason', () => {
  const { load, loopDelay } = of({ name: 'api', queueing: { header: 'X-Request-Start' } })
  expect(load.name).toBe('api')
  const none = { 'event-loop': 0, queueing: 0, limit: 0 }
  const refused = { critical: none, default: none, sheddable: none }
  const idle = { limit: 10, inFlight: 0, latencyMs: null, eventLoopDelayMs: 0, refused }
  expect(load.health()).toEqual(idle)
  for (let i = 0; i < 8; i++) load.admit()
  load.admit('sheddable')
  load.admit('default', 2000)
  loopDelay.delayMs = 200
  load.admit('default')
  load.admit('default')
  const busy = load.health()
  expect(busy).toEqual({
    ...idle,
    inFlight: 8,
    eventLoopDelayMs: 200,
    refused: {
      critical: none,
      default: { 'event-loop': 2, queueing: 1, limit: 0 },
      sheddable: { ...none, limit: 1 },
    },
  })
  load.admit('sheddable')
  expect(busy.refused.sheddable['event-loop']).toBe(0)
  expect(() => shedding({ name: '' })).toThrow(/^name: expected a name such as "api", got ""/)
})
