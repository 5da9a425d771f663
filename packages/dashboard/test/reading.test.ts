import { describe, expect, test } from '@jest/globals'
import { fixedWindow, slidingWindowLog } from '@sluice/core'
import type { SinkQuery } from '@sluice/telemetry'
import { broadcasterOf, limitersOf } from './broadcaster-of.ts'
import { ClientPage } from './client-page.ts'
import { fiveMinutes, minute } from './on-hand.ts'
import { Recorded, zero } from './recorded.ts'

const limiters = limitersOf({ a: slidingWindowLog({ limit: 100, window: '10s' }) })

/** So many seconds go by, with a step in each. */
async function pass(recorded: Recorded, seconds: number, step: () => Promise<void>): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    recorded.clock++
    await step()
  }
}

function hit(recorded: Recorded, second: number, units: number): void {
  recorded.count('hits', ['a', 'p'], { second, units })
  recorded.count('admitted', ['a'], { second, units })
}

describe('a recorder', () => {
  test('is asked once a second, for however many pages', async () => {
    const recorded = new Recorded()
    const { broadcaster } = broadcasterOf(recorded, limiters)
    const pages = Array.from({ length: 20 }, (_, i) => {
      const page = new ClientPage()
      broadcaster.join(page.client(), i % 2 === 0 ? minute : fiveMinutes, i % 3 === 0)
      return page
    })
    await broadcaster.step()
    const before = recorded.queries.length
    hit(recorded, 3, 5)
    await pass(recorded, 10, () => broadcaster.step())
    expect(recorded.queries.length - before).toBe(10)
    expect(pages.map(({ totals }) => totals?.admitted)).toEqual(pages.map(() => 5))
  })

  test('that was not asked for a while is asked for what is missing', async () => {
    const recorded = new Recorded()
    const { broadcaster } = broadcasterOf(recorded, limiters)
    hit(recorded, -100, 1)
    const leave = broadcaster.join(new ClientPage().client(), fiveMinutes, false)
    await broadcaster.step()
    leave()
    hit(recorded, 20, 10)
    recorded.clock = 120
    const page = new ClientPage()
    broadcaster.join(page.client(), fiveMinutes, false)
    await broadcaster.step()
    expect(page.totals?.admitted).toBe(11)
    expect(page.buckets['a:p']?.admitted.flatMap((units, i) => (units > 0 ? [[i, units]] : []))).toEqual([
      [80, 1],
      [200, 10],
    ])
  })

  test('that was not asked for hours is asked for the last one only', async () => {
    const recorded = new Recorded()
    const { broadcaster } = broadcasterOf(recorded, limiters)
    broadcaster.join(new ClientPage().client(), minute, false)
    await broadcaster.step()
    const before = recorded.queries.length
    recorded.clock = 50_000
    hit(recorded, 49_950, 3)
    await broadcaster.step()
    expect(
      Math.min(...recorded.queries.slice(before).map(({ fromMs }) => fromMs / 1000 - zero)),
    ).toBeGreaterThan(46_000)
  })

  test('whose clock was set back by an hour goes on from there', async () => {
    const recorded = new Recorded()
    const { broadcaster } = broadcasterOf(recorded, limiters)
    const page = new ClientPage()
    broadcaster.join(page.client(), minute, false)
    hit(recorded, -3605, 4)
    hit(recorded, -2, 7)
    await broadcaster.step()
    recorded.clock -= 3600
    await pass(recorded, 3, () => broadcaster.step())
    hit(recorded, -3597, 5)
    await pass(recorded, 2, () => broadcaster.step())
    expect(page.totals?.admitted).toBe(9)
    expect(page.buckets['a:p']?.admitted.slice(-10)).toEqual([4, 0, 0, 0, 0, 0, 0, 0, 5, 0])
  })

  test('is read anew when a row adds up over another span', async () => {
    const recorded = new Recorded()
    let shown = limiters
    const { broadcaster } = broadcasterOf(recorded, () => shown as never)
    for (let second = -60; second < 0; second++) hit(recorded, second, 1)
    const page = new ClientPage()
    broadcaster.join(page.client(), minute, false)
    await broadcaster.step()
    expect(page.totals?.rows['a:p']?.most).toBe(10)
    shown = limitersOf({ a: fixedWindow({ limit: 100, window: '30s' }) })
    await pass(recorded, 2, () => broadcaster.step())
    expect([page.totals?.rows['a:p']?.most, page.rows[0]?.rule]).toEqual([30, '100 in 30 s'])
  })
})

describe('a recorder that cannot be read', () => {
  /** What this process counts by itself, on the same clock. */
  function withOwn() {
    const recorded = new Recorded()
    const own = new Recorded()
    const made = broadcasterOf(recorded, limiters)
    made.parts.standIn.query = (query: SinkQuery) => own.query(query)
    const page = new ClientPage()
    made.broadcaster.join(page.client(), minute, false)
    return { ...made, recorded, own, page }
  }

  test('is stood in for by what this process has counted, and reported once', async () => {
    const { broadcaster, parts, recorded, own, page } = withOwn()
    hit(recorded, -2, 7)
    await broadcaster.step()
    recorded.fails = true
    for (let second = 0; second < 20; second++) hit(own, second, 1)
    await pass(recorded, 20, () => broadcaster.step())
    expect(page.totals?.admitted).toBe(27)
    expect(page.buckets['a:p']?.admitted.slice(-20)).toEqual(Array.from({ length: 20 }, () => 1))
    expect(parts.log.message().events).toMatchObject([
      { title: 'The recording cannot be read', text: 'ECONNREFUSED. Showing what this process has counted.' },
    ])
  })

  test('and takes its time to say so keeps nothing back that has happened meanwhile', async () => {
    const { broadcaster, recorded, own, page } = withOwn()
    await broadcaster.step()
    Object.assign(recorded, { fails: true, failsAfter: 3 })
    hit(own, 2, 8)
    await pass(recorded, 1, () => broadcaster.step())
    expect(page.totals?.admitted).toBe(8)
    expect(page.buckets['a:p']?.admitted.slice(-4)).toEqual([0, 0, 8, 0])
  })

  test('shows what others have counted once it is back, and nothing is lost that was shown', async () => {
    const { broadcaster, parts, recorded, own, page } = withOwn()
    await broadcaster.step()
    recorded.fails = true
    for (let second = 0; second < 10; second++) hit(own, second, 1)
    await pass(recorded, 10, () => broadcaster.step())
    recorded.fails = false
    // Of seconds 0 to 4 nothing was kept; the others are there with what another process has added.
    for (let second = 5; second < 10; second++) hit(recorded, second, 3)
    await pass(recorded, 1, () => broadcaster.step())
    expect(page.buckets['a:p']?.admitted.slice(-11)).toEqual([1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 0])
    // What was held back comes a little later.
    hit(recorded, 2, 4)
    await pass(recorded, 5, () => broadcaster.step())
    expect(page.buckets['a:p']?.admitted.slice(-16, -10)).toEqual([1, 1, 4, 1, 1, 3])
    expect(page.totals?.admitted).toBe(4 + 4 + 15)
    expect(parts.log.message().events.map(({ title }) => title)).toEqual([
      'The recording can be read again',
      'The recording cannot be read',
    ])
  })

  test('and comes back empty takes nothing off the page', async () => {
    const { broadcaster, recorded, own, page } = withOwn()
    for (let second = -30; second < 0; second++) hit(recorded, second, 2)
    await broadcaster.step()
    recorded.fails = true
    for (let second = 0; second < 10; second++) hit(own, second, 1)
    await pass(recorded, 10, () => broadcaster.step())
    recorded.fails = false
    recorded.units.length = 0
    for (let second = 10; second < 40; second++) hit(recorded, second, 3)
    await pass(recorded, 30, () => broadcaster.step())
    const shown = [...Array(20).fill(2), ...Array(10).fill(1), ...Array(30).fill(3)]
    expect(page.buckets['a:p']?.admitted).toEqual(shown)
    expect(page.totals?.admitted).toBe(40 + 10 + 90)
  })

  test('from the start lets pages open all the same', async () => {
    const { broadcaster, recorded, page } = withOwn()
    recorded.fails = true
    await broadcaster.step()
    expect(page.kinds).toEqual(['rows', 'history', 'keys', 'store', 'events'])
  })
})
