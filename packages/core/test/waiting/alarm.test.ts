import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import fc from 'fast-check'
import { monotonicClock } from '../../src/clock.ts'
import { Alarm, type Due } from '../../src/waiting/alarm.ts'

beforeEach(() => {
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
})

/** Faked, as `Date` is. */
const nowMs = () => monotonicClock.nowUs() / 1000

/** How long nothing rings after a ring. */
const pauseMs = 3

interface Plan {
  readonly afterMs: number
  /** Called off after so long, which may be too late; undefined: never. */
  readonly offAfterMs: number | undefined
}

function at(atMs: number, ring: () => unknown): Due {
  return { atMs, place: -1, ring }
}

const plans = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 0, max: 400 }).map((eighths) => eighths / 8),
    offAfterMs: fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined }),
  }),
  { maxLength: 60 },
)

describe('the alarm', () => {
  it('rings all that is due, in order, never early, and nothing that was called off', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (all: readonly Plan[]) => {
        const alarm = new Alarm(monotonicClock)
        const startMs = nowMs()
        const rung: { readonly nth: number; readonly atMs: number }[] = []
        const set = all.map(({ afterMs }, nth) => {
          const due = at(startMs + afterMs, () => rung.push({ nth, atMs: nowMs() - startMs }))
          alarm.set(due)
          return due
        })
        for (let ms = 0; ms <= 60; ms++) {
          for (const [nth, { offAfterMs }] of all.entries()) {
            const due = set[nth]
            if (offAfterMs === ms && due !== undefined) alarm.callOff(due)
          }
          await jest.advanceTimersByTimeAsync(1)
        }
        // What is called off within the pause after a ring may have rung or not.
        const isDue = (least: number) => (_: unknown, nth: number) => {
          const { afterMs = 0, offAfterMs = Number.POSITIVE_INFINITY } = all[nth] ?? {}
          return offAfterMs >= Math.ceil(afterMs) + least
        }
        const nths = all.map((_, nth) => nth)
        const rang = new Set(rung.map(({ nth }) => nth))
        expect(nths.filter(isDue(pauseMs)).filter((nth) => !rang.has(nth))).toEqual([])
        expect([...rang].filter((nth) => !isDue(0)(undefined, nth))).toEqual([])
        const instants = rung.map(({ nth }) => all[nth]?.afterMs ?? 0)
        expect(instants).toEqual([...instants].sort((a, b) => a - b))
        expect(rung.filter(({ nth, atMs }) => atMs < (all[nth]?.afterMs ?? 0))).toEqual([])
        expect(jest.getTimerCount()).toBe(0)
      }),
      { numRuns: 60 },
    )
  })

  it('looks at the clock again where a timer fires early', () => {
    const alarm = new Alarm(monotonicClock)
    let rang = 0
    alarm.set(at(nowMs() + 10, () => rang++))
    // A timer that fires early is one whose clock has not come so far.
    jest.spyOn(monotonicClock, 'nowUs').mockReturnValue(monotonicClock.nowUs() + 9200)
    jest.runOnlyPendingTimers()
    expect(rang).toBe(0)
    jest.restoreAllMocks()
    jest.advanceTimersByTime(20)
    expect(rang).toBe(1)
  })

  it('sleeps longer than a timer can', () => {
    const alarm = new Alarm(monotonicClock)
    let rang = 0
    const ms = 2 ** 31 + 5000
    alarm.set(at(nowMs() + ms, () => rang++))
    jest.advanceTimersByTime(ms - 1)
    expect(rang).toBe(0)
    jest.advanceTimersByTime(1)
    expect(rang).toBe(1)
  })
})
