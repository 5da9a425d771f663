import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { createLimiter, fixedWindow, type Limiter, type Observer } from '@sluice/core'
import { memorySink, recorder } from '../src/index.ts'
import { type Moved, movedRecorder, silent, TestSink } from './moved-recorder.ts'

const policy = fixedWindow({ limit: 1_000_000, window: '1h' })
const startMs = 1_700_000_000_000
const start = startMs / 1000

let moved: Moved
let sink: TestSink
let limiter: Limiter<{ readonly default: typeof policy }>
let warned: string[]
beforeEach(() => {
  warned = []
  moved = movedRecorder()
  sink = moved.sink
  moved.seen.watch({ warned: ({ code }) => warned.push(code) })
  limiter = createLimiter({ name: 'zoo', policy, observers: [moved.seen] })
})
afterEach(() => limiter.close())

const hits = 'hits:zoo:default'

/** Units of each second that were written, from the first one on. */
function bySecond(): readonly (readonly [second: number, units: number])[] {
  const sums = new Map<number, number>()
  for (const { series, second, units } of sink.batches.flat()) {
    if (series === hits) sums.set(second - start, (sums.get(second - start) ?? 0) + units)
  }
  return [...sums]
}

/** As much at once as nobody waits for. */
async function tick(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

describe('the seconds of a recorder', () => {
  it('are those of a clock that answers at once: two recorders on it count a decision in the same one', async () => {
    let nowMs = startMs
    const clock = { nowMs: () => nowMs }
    const [one, other] = [1, 2].map(() => recorder(Object.assign(memorySink(), clock), { logger: silent }))
    if (one === undefined || other === undefined) throw new Error('there are two')
    await one.flush()
    nowMs += 400
    await other.flush()
    for (const stepMs of [599, 1, 10_000]) {
      nowMs += stepMs
      expect([one.nowMs(), other.nowMs()]).toEqual([nowMs, nowMs])
    }
    await one.close()
    await other.close()
  })

  it('are those of a recorder that it watches, also where one ends while a decision is counted', async () => {
    let nowMs = startMs + 999
    const series = () => {
      nowMs += 2
      return 'cats'
    }
    const seen = recorder(new TestSink(() => nowMs), { series, logger: silent })
    await seen.flush()
    const own = new TestSink(() => seen.nowMs())
    const watching = recorder(own, { logger: silent })
    await watching.flush()
    seen.watch(watching)
    const watched = createLimiter({ name: 'zoo', policy, observers: [seen] })
    await watched.check('bob')
    expect(seen.nowMs()).toBe(startMs + 1001)
    await Promise.all([seen.close(), watching.close(), watched.close()])
    expect(own.totals(start)).toMatchObject({ [hits]: 1 })
  })

  it('are written a tenth of a second after their end', async () => {
    await moved.advance('200ms')
    await limiter.check('bob')
    await moved.advance('700ms')
    await limiter.check('bob')
    await moved.advance('199ms')
    expect(sink.batches).toEqual([])
    await moved.advance('1ms')
    expect(bySecond()).toEqual([[0, 2]])
  })

  it('that went on while they were written are added up by the sink', async () => {
    await limiter.check('bob')
    await moved.advance('1050ms')
    await limiter.check('bob')
    await moved.advance('100ms')
    await limiter.check('bob')
    await moved.advance('1s')
    expect(sink.batches.map((batch) => batch.filter(({ series }) => series === hits).length)).toEqual([2, 1])
    expect(bySecond()).toEqual([
      [0, 1],
      [1, 2],
    ])
  })

  it('are those of the sink, from the first request on', async () => {
    sink.nowMs = () => moved.localMs() + 3_600_300
    await limiter.check('bob')
    await moved.advance('2s')
    await limiter.check('bob')
    await moved.advance('2s')
    expect(bySecond()).toEqual([
      [3600, 1],
      [3602, 1],
    ])
    expect(moved.seen.nowMs()).toBe(moved.localMs() + 3_600_300)
  })

  it('do not go back where the sink says a little less', async () => {
    await limiter.check('bob')
    await moved.advance('3s')
    await limiter.check('bob')
    sink.nowMs = () => moved.localMs() - 500
    await moved.seen.flush()
    await limiter.check('bob')
    expect(moved.seen.nowMs()).toBe(startMs + 3000)
    await moved.seen.flush()
    expect(bySecond()).toEqual([
      [0, 1],
      [3, 2],
    ])
  })

  it('follow a clock that was set back', async () => {
    await limiter.check('bob')
    await moved.advance('2s')
    await limiter.check('bob')
    sink.nowMs = () => moved.localMs() - 3_600_000
    await moved.seen.flush()
    await limiter.check('bob')
    await moved.seen.flush()
    expect(bySecond()).toEqual([
      [0, 1],
      [2, 1],
      [-3598, 1],
    ])
  })

  it('are asked for no more once nothing happens', async () => {
    let asked = 0
    sink.nowMs = () => {
      asked++
      return moved.localMs()
    }
    await limiter.check('bob')
    await moved.advance('1h')
    expect(asked).toBe(1)
  })
})

describe('a sink that is away', () => {
  const gone = async () => {
    throw new Error('not connected')
  }

  it('gets what happened meanwhile when it is back, each unit once', async () => {
    sink.nowMs = gone
    for (let i = 0; i < 30; i++) {
      await limiter.check('bob')
      await moved.advance('1s')
    }
    expect(sink.batches).toEqual([])
    sink.nowMs = moved.localMs
    await moved.advance('2s')
    expect(bySecond()).toEqual(Array.from({ length: 30 }, (_, second) => [second, 1]))
    expect([moved.seen.lostUnits, warned]).toEqual([0, []])
  })

  it('for more than a minute costs what is older, which is counted and reported once', async () => {
    sink.nowMs = gone
    for (let i = 0; i < 100; i++) {
      await limiter.check('bob')
      await moved.advance('1s')
    }
    // Of each request there are two series: the policy's, and the limiter's.
    expect(warned).toEqual(['SLUICE_RECORDING_LOST'])
    sink.nowMs = moved.localMs
    await moved.advance('2s')
    const written = bySecond()
    expect(written.at(-1)).toEqual([99, 1])
    expect(written.length).toBeGreaterThanOrEqual(60)
    expect(written.length).toBeLessThanOrEqual(62)
    expect(moved.seen.lostUnits).toBe(2 * (100 - written.length))
  })

  it('is reported again when more is lost after it was back', async () => {
    sink.onWrite = gone
    for (const works of [false, false, true, false]) {
      sink.onWrite = works ? undefined : gone
      await limiter.check('bob')
      await moved.advance('2s')
    }
    expect(warned).toEqual(['SLUICE_RECORDING_LOST', 'SLUICE_RECORDING_LOST'])
  })

  it('when the recorder is closed costs what waits, which is reported', async () => {
    sink.nowMs = gone
    await limiter.check('bob', { cost: 5 })
    await moved.advance('10s')
    expect(moved.seen.lostUnits).toBe(0)
    await moved.seen.close()
    expect([moved.seen.lostUnits, warned]).toEqual([10, ['SLUICE_RECORDING_LOST']])
  })

  it('that gave no time holds the batch back', async () => {
    sink.nowMs = () => Number.NaN
    await limiter.check('bob')
    await moved.advance('2s')
    expect(sink.batches).toEqual([])
  })
})

describe('a batch that was perhaps not written', () => {
  it('is not sent again: it could count twice', async () => {
    let writes = 0
    sink.onWrite = async () => {
      writes++
      throw new Error('the connection ended')
    }
    await limiter.check('bob', { cost: 5 })
    await moved.advance('10s')
    expect([writes, moved.seen.lostUnits]).toEqual([1, 10])
  })

  it('is lost as far as the sink says', async () => {
    sink.onWrite = async () => {
      throw Object.assign(new Error('one key is of another type'), { units: 5 })
    }
    await limiter.check('bob', { cost: 5 })
    await moved.advance('10s')
    expect(moved.seen.lostUnits).toBe(5)
  })

  it('is reported with its cause', async () => {
    const lines: string[] = []
    const logger = { ...silent, warn: (line: string) => lines.push(line) }
    const { seen, sink: failing } = movedRecorder({ logger })
    failing.onWrite = async () => {
      throw new Error('OOM command not allowed')
    }
    seen.adjusted?.({ limiter: 'zoo', policy: 'default', units: 1 })
    await seen.flush()
    expect(lines).toEqual([
      '[sluice] SLUICE_RECORDING_LOST: counts could not be recorded in test and are lost: OOM command not allowed (https://github.com/sluicejs/sluice/blob/main/docs/errors.md#sluice_recording_lost)',
    ])
  })
})

describe('a sink that hangs', () => {
  it('gets one batch at a time, keeps no request waiting, and is given up after five seconds', async () => {
    let writes = 0
    sink.onWrite = () => {
      writes++
      return new Promise(() => {})
    }
    await limiter.check('bob')
    for (let i = 0; i < 4; i++) {
      await moved.advance('1s')
      const flushed = moved.seen.flush()
      expect(moved.seen.flush()).toBe(flushed)
      await tick()
      expect((await limiter.check('bob')).allowed).toBe(true)
    }
    expect([writes, moved.seen.lostUnits]).toEqual([1, 0])
    sink.onWrite = undefined
    await moved.advance('5s')
    await moved.advance('5s')
    expect(moved.seen.lostUnits).toBe(2)
    expect(sink.totals()).toMatchObject({ [hits]: 4 })
  })
})

describe('a recorder', () => {
  it('writes what is pending before it answers a query', async () => {
    const kept = memorySink()
    const seen = recorder(kept)
    const gate = createLimiter({ name: 'zoo', policy, observers: [seen] })
    const fromMs = Date.now()
    await gate.check('bob')
    const points = await seen.query({ series: hits, fromMs, toMs: Date.now() + 1000, step: '1s' })
    expect(points[0]?.values.reduce((sum, units) => sum + units, 0)).toBe(1)
    await gate.close()
    await seen.close()
  })

  it('writes the rest when it is closed, closes its sink once, and counts no more', async () => {
    await limiter.check('bob')
    await Promise.all([moved.seen.close(), moved.seen.close()])
    await limiter.check('bob')
    await moved.advance('10s')
    expect(sink.totals()).toMatchObject({ [hits]: 1 })
    expect(sink.closed).toBe(1)
  })

  it('keeps no process alive', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
    const before = timers()
    const seen = recorder(memorySink())
    seen.adjusted?.({ limiter: 'zoo', policy: 'default', units: 1 })
    expect(timers()).toBe(before)
    await seen.close()
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('no')
      },
    ],
    ['answers none', () => 'soon' as unknown as number],
  ])('outlives a sink whose clock %s at once', async (_, nowMs) => {
    sink.nowMs = nowMs
    await limiter.check('bob')
    await moved.advance('2s')
    sink.nowMs = moved.localMs
    await moved.advance('2s')
    expect(sink.totals()).toMatchObject({ [hits]: 1 })
  })
})

describe('whoever watches', () => {
  const calls: readonly (keyof Observer)[] = [
    'decided',
    'adjusted',
    'lost',
    'storeFailed',
    'storeRecovered',
    'warned',
  ]

  /** An observer that notes its calls. */
  function noting(seen: string[]): Observer {
    return Object.fromEntries(calls.map((name) => [name, () => seen.push(name)]))
  }

  async function callAll(observer: Observer): Promise<void> {
    const decision = await limiter.peek('bob')
    observer.decided?.(decision, { operation: 'peek', durationMs: 0 })
    observer.adjusted?.({ limiter: 'zoo', policy: 'default', units: 1 })
    observer.lost?.({ limiter: 'zoo', policy: 'default', key: 'bob' })
    observer.storeFailed?.({ kind: 'failed', store: 'redis', sinceMs: 0 })
    observer.storeRecovered?.({ kind: 'recovered', store: 'redis', sinceMs: 0 })
    observer.warned?.({ code: 'SLUICE_TEST', message: '' })
  }

  it('sees all that the recorder observes, looks too, until it looks away', async () => {
    const seen: string[] = []
    const lookAway = moved.seen.watch(noting(seen))
    await callAll(moved.seen)
    // The look of callAll itself comes first.
    expect(seen).toEqual(['decided', ...calls])
    lookAway()
    await callAll(moved.seen)
    expect(seen).toHaveLength(1 + calls.length)
  })

  it('harms neither another nor the count', async () => {
    const seen: string[] = []
    const failing = () => {
      throw new Error('a fault')
    }
    moved.seen.watch(Object.fromEntries(calls.map((name) => [name, failing])))
    moved.seen.watch(noting(seen))
    await callAll(moved.seen)
    await limiter.check('bob')
    await tick()
    await moved.seen.flush()
    expect(seen).toEqual(['decided', ...calls, 'decided'])
    expect(sink.totals()).toMatchObject({ [hits]: 2 })
  })

  it('ends no process by what it promises and does not keep', async () => {
    const broken = Promise.reject(new Error('a fault'))
    const then = jest.spyOn(broken, 'then')
    moved.seen.watch(Object.fromEntries(calls.map((name) => [name, () => broken])))
    await callAll(moved.seen)
    expect(then).toHaveBeenCalledTimes(1 + calls.length)
  })

  it('twice is reported twice', async () => {
    const seen: string[] = []
    const observer = noting(seen)
    const lookAway = moved.seen.watch(observer)
    moved.seen.watch(observer)
    await limiter.peek('bob')
    lookAway()
    await limiter.peek('bob')
    expect(seen).toHaveLength(3)
  })
})
