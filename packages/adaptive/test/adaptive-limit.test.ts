import { describe, expect, jest, test } from '@jest/globals'
import { adaptiveLimit, type LimitChange, type Place } from '@sluice/adaptive'
import { manualClock } from '@sluice/testing'

type Taken = (Place | null)[]

function take(limit: { acquire(): Place | null }, count: number): Taken {
  return Array.from({ length: count }, () => limit.acquire())
}

function release(places: Taken): void {
  for (const place of places) place?.release()
}

describe('places', () => {
  test('there are as many as the limit says, and a refusal comes at once', () => {
    const limit = adaptiveLimit({ initial: 5, clock: manualClock() })
    const places = take(limit, 6)
    expect(places.map((place) => place !== null)).toEqual([true, true, true, true, true, false])
    expect(limit.inFlight).toBe(5)
  })

  test('a place is given back once, however often and by whatever it is said', () => {
    const limit = adaptiveLimit({ clock: manualClock() })
    const [first, second] = take(limit, 2)
    expect([first?.release(), first?.release(), first?.release('dropped')]).toEqual([true, false, false])
    first?.[Symbol.dispose]()
    expect(limit.inFlight).toBe(1)
    second?.[Symbol.dispose]()
    expect([second?.held, second?.release(), limit.inFlight]).toEqual([false, false, 0])
  })

  test('a place that is never given back is taken back after `hold`, not a microsecond earlier, without a timer', async () => {
    const clock = manualClock()
    const limit = adaptiveLimit({ min: 1, initial: 1, hold: '30s', clock })
    const lost = limit.acquire()
    await clock.advance(29_999.999)
    expect([limit.acquire(), limit.inFlight]).toEqual([null, 1])
    await clock.advance(0.001)
    expect(limit.inFlight).toBe(0)
    const next = limit.acquire()
    expect([next?.held, lost?.held, lost?.release(), limit.inFlight]).toEqual([true, false, false, 1])
  })

  test('`acquireUpTo` goes below the limit and beyond it, but never beyond `max`', () => {
    const limit = adaptiveLimit({ initial: 5, max: 8, clock: manualClock() })
    take(limit, 4)
    expect(limit.acquireUpTo(4)).toBeNull()
    const beyond = Array.from({ length: 9 }, () => limit.acquireUpTo(1000))
    expect(beyond.filter((place) => place !== null)).toHaveLength(4)
    expect(limit.inFlight).toBe(8)
  })
})

describe('the limit', () => {
  /** A window: so many at once, held for so long. */
  async function windowOf(
    clock: ReturnType<typeof manualClock>,
    acquire: () => Taken,
    ms: number,
  ): Promise<void> {
    const places = acquire()
    await clock.advance(ms)
    release(places)
  }

  test('grows by one in a window in time and shrinks by a tenth in one that is not, within its bounds', async () => {
    const clock = manualClock()
    const limit = adaptiveLimit({
      algorithm: 'aimd',
      timeout: '1s',
      initial: 10,
      min: 9,
      max: 12,
      samples: 9,
      clock,
    })
    const full = () => take(limit, limit.limit)
    const seen: number[] = []
    // After a change comes a pause of one latency. A window is complete with the first sample after its time; the others are the next one's.
    for (const ms of [200, 200, 200, 200, 200, 200, 2000, 2000, 2000, 2000, 2000]) {
      await windowOf(clock, full, ms)
      seen.push(limit.limit)
    }
    expect(seen).toEqual([11, 11, 12, 12, 12, 12, 12, 10, 10, 9, 9])
  })

  test('what ends within one latency of a change is no sample of the new limit', async () => {
    const clock = manualClock()
    const limit = adaptiveLimit({ algorithm: 'aimd', timeout: '1s', initial: 20, samples: 10, clock })
    const old = take(limit, 10)
    await windowOf(clock, () => take(limit, 10), 400)
    expect([limit.limit, limit.latencyMs]).toEqual([21, 400])
    await clock.advance(399)
    release(old) // 799 ms each
    await clock.advance(101)
    await windowOf(clock, () => take(limit, 10), 100)
    expect([limit.limit, limit.latencyMs]).toEqual([21, 100]) // only ten of twenty-one were held
  })

  test('a window is complete with its time and its samples', async () => {
    const clock = manualClock()
    const limit = adaptiveLimit({ algorithm: 'aimd', initial: 10, window: '100ms', samples: 10, clock })
    await windowOf(clock, () => take(limit, 10), 99)
    expect(limit.latencyMs).toBeNull()
    await windowOf(clock, () => take(limit, 1), 1)
    expect(limit.latencyMs).toBe(91) // (10 × 99 + 1) / 11, rounded up
  })

  test('what is dropped or ignored has no latency, and what is ignored counts for nothing', async () => {
    const clock = manualClock()
    const limit = adaptiveLimit({ algorithm: 'aimd', initial: 20, clock })
    const places = take(limit, 20)
    await clock.advance(200)
    for (const place of places.slice(0, 10)) place?.release('ignored')
    expect([limit.limit, limit.latencyMs]).toEqual([20, null])
    for (const place of places.slice(10)) place?.release('dropped')
    expect([limit.limit, limit.latencyMs]).toEqual([18, null])
  })

  test('what its caller abandoned counts only where it took longer than usual', async () => {
    const clock = manualClock()
    const limit = adaptiveLimit({ algorithm: 'aimd', initial: 50, clock })
    const abandoned = async (ms: number) => {
      const places = take(limit, 10)
      await clock.advance(ms)
      for (const place of places) place?.release('abandoned')
      return limit.latencyMs
    }
    expect(await abandoned(200)).toBeNull()
    await windowOf(clock, () => take(limit, 10), 200)
    expect([await abandoned(100), await abandoned(200), await abandoned(300)]).toEqual([200, 200, 300])
  })

  test('no window begins while more are held than there are places', async () => {
    const clock = manualClock()
    const limit = adaptiveLimit({
      algorithm: 'aimd',
      timeout: '100ms',
      backoff: 0.5,
      initial: 20,
      samples: 5,
      clock,
    })
    const places = take(limit, 20)
    await clock.advance(200)
    release(places.slice(0, 5))
    expect([limit.limit, limit.inFlight, limit.latencyMs]).toEqual([10, 15, 200])
    await clock.advance(1000)
    release(places.slice(5, 10)) // as many as there are places: a window begins in 200 ms
    await clock.advance(199)
    release(places.slice(10))
    await clock.advance(1)
    await windowOf(clock, () => take(limit, 5), 100)
    expect(limit.latencyMs).toBe(100)
  })

  test.each([
    ['gradient', 11],
    ['aimd', 13],
  ] as const)(
    'more critical work than places does not hold the limit of %s where it is',
    async (algorithm, grown) => {
      const clock = manualClock()
      const limit = adaptiveLimit({ algorithm, initial: 10, max: 40, samples: 5, clock })
      const held: Taken = []
      // Thirty are held at all times, of 300 ms each: whenever one is given back, the next one takes a place.
      for (let i = 0; i < 150; i++) {
        if (held.length === 30) held.shift()?.release()
        held.push(limit.acquireUpTo(40))
        await clock.advance(10)
      }
      expect([limit.inFlight, limit.latencyMs, limit.limit]).toEqual([30, 300, grown])
    },
  )

  test('earlier work alone holds a window back, however much critical work comes and goes', async () => {
    const clock = manualClock()
    const options = { timeout: '100ms', backoff: 0.5, initial: 20, max: 40, samples: 5, clock } as const
    const limit = adaptiveLimit({ algorithm: 'aimd', ...options })
    const places = take(limit, 20)
    await clock.advance(200)
    release(places.slice(0, 5))
    const critical = async () => {
      await clock.advance(1)
      const place = limit.acquireUpTo(40)
      await clock.advance(99)
      place?.release()
    }
    for (let i = 0; i < 10; i++) await critical()
    release(places.slice(5, 9))
    for (let i = 0; i < 10; i++) await critical()
    expect([limit.limit, limit.inFlight, limit.latencyMs]).toEqual([10, 11, 200])
    places[9]?.release() // as many are left as there are places: a window begins in 200 ms
    for (let i = 0; i < 10; i++) await critical()
    expect([limit.limit, limit.latencyMs]).toEqual([11, 99])
  })

  test('work that hangs shrinks the limit once its places are taken back', async () => {
    const clock = manualClock()
    const limit = adaptiveLimit({ algorithm: 'aimd', initial: 20, hold: '5s', clock })
    take(limit, 20)
    await clock.advance('5s')
    expect([limit.inFlight, limit.limit]).toEqual([0, 18])
  })

  test('tells each change once, and an observer that throws changes nothing', async () => {
    const clock = manualClock()
    const changes: LimitChange[] = []
    const onChange = jest.fn((change: LimitChange) => {
      changes.push(change)
      throw new Error('a broken observer')
    })
    const limit = adaptiveLimit({ initial: 10, clock, onChange })
    // 10.8 is 10 still; then 11.6, and a pause.
    for (let i = 0; i < 3; i++) await windowOf(clock, () => take(limit, 10), 200)
    expect(changes[0]).toEqual({ limit: 11, before: 10, latencyMs: 200, unloadedMs: 200, inFlight: 0 })
    expect(onChange).toHaveBeenCalledTimes(1)
    expect(limit.limit).toBe(11)
  })

  test('what its observer promises and does not keep ends no process', async () => {
    const clock = manualClock()
    const broken = Promise.reject(new Error('a broken observer'))
    const then = jest.spyOn(broken, 'then')
    const limit = adaptiveLimit({ initial: 10, clock, onChange: () => broken })
    for (let i = 0; i < 3; i++) await windowOf(clock, () => take(limit, 10), 200)
    expect([limit.limit, then.mock.calls.length]).toEqual([11, 1])
  })
})

// biome-ignore format: a table
const wrong = [
  [{ algorithm: 'vegas' },                  'algorithm: expected "gradient" or "aimd", got "vegas" (string)'],
  [{ algorithm: null },                     'algorithm: expected "gradient" or "aimd", got null'],
  [{ min: 0 },                              'min: expected a whole number from 1 to 100000, got 0 (number)'],
  [{ min: 10, max: 9 },                     'max: expected a whole number from 10 to 100000, got 9 (number)'],
  [{ max: 0 },                              'max: expected a whole number from 1 to 100000, got 0 (number)'],
  [{ max: 50, initial: 51 },                'initial: expected a whole number from 5 to 50, got 51 (number)'],
  [{ timeout: '1s' },                       'timeout: expected a known option (one of algorithm, '],
  [{ algorithm: 'aimd', tolerance: 2 },     'tolerance: expected a known option (one of algorithm, '],
  [{ speed: 2 },                            'smoothing, probeEvery, timeout, backoff, increase), got "speed"'],
  [{ toleranc: 2 },                         'toleranc: expected a known option (did you mean "tolerance"?), got'],
  [{ tolerance: 0.5 },                      'tolerance: expected a number from 1 to 10, got 0.5 (number)'],
  [{ smoothing: Number.NaN },               'smoothing: expected a number from 0.01 to 1, got NaN (number)'],
  [{ algorithm: 'aimd', backoff: 1 },       'backoff: expected a number from 0.5 to 0.99, got 1 (number)'],
  [{ window: 0 },                           'window: expected a positive duration'],
  [{ clock: Date },                         'clock: expected a clock with nowUs(), got a function (Date)'],
  [{ clock: null },                         'clock: expected a clock with nowUs(), got null'],
  [{ onChange: 1 },                         'onChange: expected a function, got 1 (number)'],
] as const

test('a small max alone is the fewest places too', () => {
  const limit = adaptiveLimit({ max: 3 })
  const places = [1, 2, 3, 4].map(() => limit.acquire())
  expect(places.map((place) => place !== null)).toEqual([true, true, true, false])
})

test.each(wrong)('%j is an OptionError', (options, message) => {
  const thrown = () => adaptiveLimit(options as object)
  expect(thrown).toThrow(message)
  expect(thrown).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION' }))
})
