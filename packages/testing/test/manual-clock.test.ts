import { describe, expect, it } from '@jest/globals'
import { createLimiter, memoryStore, uniform } from '@sluice/core'
import { manualClock } from '../src/index.ts'

describe('a manual clock', () => {
  it('takes nothing: an instant to begin at would have no effect', () => {
    const asInJavaScript = manualClock as (...given: readonly unknown[]) => unknown
    for (const given of [5, '10s', new Date(0), null])
      expect(() => asInJavaScript(given)).toThrow('arguments[0]: expected nothing, as each clock begins')
  })

  it('stands still until it is advanced, by whole microseconds', async () => {
    const clock = manualClock()
    const startUs = clock.nowUs()
    expect(clock.nowUs()).toBe(startUs)
    for (const by of ['10s', 0.001, 0, '1.5ms'] as const) await clock.advance(by)
    expect(clock.nowUs() - startUs).toBe(10_001_501)
    await expect(clock.advance(-1)).rejects.toThrow('by: expected a positive duration')
  })

  it('wakes sleepers at their instants, in order', async () => {
    const clock = manualClock()
    const startUs = clock.nowUs()
    const woken: unknown[] = []
    const sleep = async (name: string, ms: number) => {
      await clock.sleep?.(ms)
      woken.push([name, clock.nowUs() - startUs])
      if (name === 'early')
        await clock.sleep?.(2).then(() => woken.push(['early again', clock.nowUs() - startUs]))
    }
    const all = Promise.all([sleep('late', 7), sleep('early', 1), sleep('never', 100)])
    await clock.advance(10)
    expect(woken).toEqual([
      // who, at µs
      ['early', 1000],
      ['early again', 3000],
      ['late', 7000],
    ])
    await clock.advance(90)
    await all
    expect(woken).toContainEqual(['never', 100_000])
  })

  it('goes on, and never back, where a call does not wait for the one before', async () => {
    const clock = manualClock()
    const startUs = clock.nowUs()
    const after = [5000, 5500].map(async (ms) => clock.sleep?.(ms))
    const times: number[] = []
    const advances = (['10s', '1s', '1s'] as const).map(async (by) => {
      await clock.advance(by)
      times.push((clock.nowUs() - startUs) / 1e6)
    })
    await Promise.all([...after, ...advances])
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(clock.nowUs() - startUs).toBe(12_000_000)
  })

  it('lets go of a sleeper whose signal is aborted', async () => {
    const clock = manualClock()
    const controller = new AbortController()
    const asleep = clock.sleep?.(5, controller.signal)
    controller.abort(new Error('enough'))
    await expect(asleep).rejects.toThrow('enough')
    await clock.advance(10)
  })

  it('lets nobody sleep whose signal is aborted already', async () => {
    const aborted = AbortSignal.abort(new Error('enough'))
    await expect(manualClock().sleep?.(5, aborted)).rejects.toThrow('enough')
  })

  it('moves a limiter’s time', async () => {
    const clock = manualClock()
    const limiter = createLimiter({ policy: uniform({ interval: '10s' }), store: memoryStore({ clock }) })
    await limiter.check('bob')
    expect((await limiter.check('bob')).retryAfterMs).toBe(10_000)
    await clock.advance('10s')
    expect((await limiter.check('bob')).allowed).toBe(true)
  })
})
