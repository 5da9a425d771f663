import { describe, expect, test } from '@jest/globals'
import { type Policy, slidingWindowLog, uniform } from '@sluice/core'
import fc from 'fast-check'
import { spans } from '../src/wire.ts'
import { broadcasterOf, limitersOf } from './broadcaster-of.ts'
import { ClientPage } from './client-page.ts'
import { minute } from './on-hand.ts'
import { Recorded, zero } from './recorded.ts'

const windows: { readonly [limiter: string]: number } = { a: 1, b: 10, c: 45 }
const policies = Object.fromEntries(
  Object.entries(windows).map(([name, s]) => [name, slidingWindowLog({ limit: 100, window: `${s}s` })]),
)

interface Hit {
  readonly limiter: string
  readonly second: number
  readonly admitted: number
  readonly refused: number
  /** It is written so many seconds late. */
  readonly late: number
}

const hit: fc.Arbitrary<Hit> = fc.record({
  limiter: fc.constantFrom('a', 'b', 'c'),
  second: fc.integer({ min: -200, max: 30 }),
  admitted: fc.nat(9),
  refused: fc.nat(9),
  late: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 4 })),
})

/** What a page should show of a row: each second counted over. */
function recount(hits: readonly Hit[], limiter: string, about: { last: number; span: number; step: number }) {
  const { last, span, step } = about
  const own = hits.filter((each) => each.limiter === limiter)
  const sum = (of: 'admitted' | 'refused', from: number, to: number) =>
    own.filter(({ second }) => second >= from && second <= to).reduce((all, each) => all + each[of], 0)
  const window = windows[limiter] ?? 0
  const upper = (second: number) => sum('admitted', second - window + 1, second)
  const first = Math.floor((zero + last) / step) * step - zero - span + step
  const starts = Array.from({ length: span / step }, (_, i) => first + i * step)
  const buckets = starts.map((from) => {
    const to = Math.min(from + step - 1, last)
    const length = to - from + 1
    const rate = (units: number) => Math.round((100 * units) / length) / 100
    const seconds = Array.from({ length }, (_, i) => from + i)
    return {
      inWindow: Math.max(...seconds.map(upper)),
      admitted: rate(sum('admitted', from, to)),
      refused: rate(sum('refused', from, to)),
    }
  })
  const whole = Array.from({ length: span }, (_, i) => last - i)
  return {
    inWindow: buckets.map((each) => each.inWindow),
    admitted: buckets.map((each) => each.admitted),
    refused: buckets.map((each) => each.refused),
    totals: {
      admitted: sum('admitted', last - span + 1, last),
      refused: sum('refused', last - span + 1, last),
      most: Math.max(...whole.map(upper)),
    },
  }
}

function write(recorded: Recorded, { limiter, second, admitted, refused }: Hit): void {
  recorded.count('hits', [limiter, 'p'], { second, units: admitted })
  recorded.count('denied', [limiter, 'p'], { second, units: refused })
  recorded.count('admitted', [limiter], { second, units: admitted })
  recorded.count('refused', [limiter], { second, units: refused })
}

describe('numbers on the page', () => {
  test.each(spans)('are those that were sent, over $seconds s, also what is written late', async (span) => {
    const property = fc.asyncProperty(fc.array(hit, { minLength: 1, maxLength: 60 }), async (hits) => {
      const recorded = new Recorded()
      const { broadcaster } = broadcasterOf(recorded, limitersOf(policies))
      const page = new ClientPage()
      const pending = [...hits]
      for (let now = 0; now <= 36; now++) {
        recorded.clock = now
        const due = pending.filter(({ second, late }) => second + late < now)
        for (const each of due) {
          write(recorded, each)
          pending.splice(pending.indexOf(each), 1)
        }
        await broadcaster.step()
        if (now > 0) continue
        broadcaster.join(page.client(), span, false)
        await broadcaster.step()
      }
      broadcaster.stop()
      const about = { last: 35, span: span.seconds, step: span.stepSeconds }
      for (const limiter of Object.keys(windows)) {
        const { totals, ...buckets } = recount(hits, limiter, about)
        expect(page.buckets[`${limiter}:p`]).toEqual(buckets)
        expect(page.totals?.rows[`${limiter}:p`]).toEqual(totals)
      }
    })
    await fc.assert(property, { numRuns: span.seconds > 1000 ? 5 : 25 })
  })

  test('are never below zero, where more is given back in a span than taken', async () => {
    const recorded = new Recorded()
    const { broadcaster } = broadcasterOf(recorded, limitersOf(policies))
    const page = new ClientPage()
    recorded.count('hits', ['a', 'p'], { second: -70, units: 9 })
    recorded.count('hits', ['a', 'p'], { second: -5, units: -6 })
    recorded.count('denied', ['a', 'p'], { second: -4, units: 3 })
    broadcaster.join(page.client(), minute, false)
    await broadcaster.step()
    expect(page.totals?.rows['a:p']).toEqual({ admitted: 0, refused: 3, most: 0 })
    expect(Math.min(...(page.buckets['a:p']?.admitted ?? []))).toBe(0)
  })
})

describe('the units of a row by group', () => {
  const limiter = ['a', 'p'] as const

  test('are those of the span, the most first, with the row as a whole', async () => {
    const recorded = new Recorded()
    const { broadcaster } = broadcasterOf(recorded, limitersOf(policies))
    const page = new ClientPage()
    recorded.count('hits', [...limiter, 'read'], { second: -5, units: 3 })
    recorded.count('hits', [...limiter, 'export'], { second: -5, units: 100 })
    recorded.count('denied', [...limiter, 'export'], { second: -4, units: 100 })
    recorded.count('hits', [...limiter, 'write'], { second: -70, units: 5 })
    recorded.count('hits', limiter, { second: -5, units: 1 })
    broadcaster.join(page.client(), minute, false)
    await broadcaster.step()
    const groups = [
      ['export', 200],
      ['read', 3],
    ]
    expect(page.totals?.rows['a:p']).toMatchObject({ admitted: 104, refused: 100, groups })
    recorded.count('hits', [...limiter, 'write'], { second: 0, units: 5 })
    recorded.clock = 2
    await broadcaster.step()
    expect(page.totals?.rows['a:p']).toMatchObject({
      admitted: 109,
      groups: [...groups.slice(0, 1), ['write', 5], ['read', 3]],
    })
    recorded.clock = 120
    await broadcaster.step()
    expect(page.totals?.rows['a:p']?.groups).toBeUndefined()
  })

  test('are told apart up to twenty, and shown up to five', async () => {
    const recorded = new Recorded()
    const { broadcaster } = broadcasterOf(recorded, limitersOf(policies))
    const page = new ClientPage()
    for (let i = 1; i <= 40; i++) recorded.count('hits', [...limiter, `kind ${i}`], { second: -5, units: i })
    broadcaster.join(page.client(), minute, false)
    await broadcaster.step()
    const { admitted, groups } = page.totals?.rows['a:p'] ?? {}
    expect(admitted).toBe(820)
    expect(groups).toEqual([
      ['other', 820 - 190],
      ['kind 19', 19],
      ['kind 18', 18],
      ['kind 17', 17],
      ['kind 16', 16],
    ])
  })
})

describe('a window of an exact strategy', () => {
  const at = (units: readonly number[], policy: Policy = slidingWindowLog({ limit: 300, window: '10s' })) => {
    const recorded = new Recorded()
    const exact = { log: policy }
    const { broadcaster } = broadcasterOf(recorded, limitersOf(exact))
    for (const [second, each] of units.entries())
      recorded.count('hits', ['log', 'p'], { second: second - units.length, units: each })
    const page = new ClientPage()
    broadcaster.join(page.client(), minute, false)
    return {
      recorded,
      broadcaster,
      async most() {
        await broadcaster.step()
        return page.totals?.rows['log:p']?.most
      },
    }
  }
  const tenSeconds = (first: number, last: number) => [first, 30, 30, 30, 30, 30, 30, 30, 30, last]

  test('does not seem to be exceeded by what was decided at the border of two seconds', async () => {
    expect(await at(tenSeconds(30, 31)).most()).toBe(300)
    expect(await at(tenSeconds(30, 29)).most()).toBe(299)
    const gate = uniform({ interval: '10s' })
    expect(await at([1, 0, 0, 0, 0, 0, 0, 0, 0, 1], gate).most()).toBe(1)
    expect(await at([1, 0, 0, 0, 1], gate).most()).toBe(2)
  })

  test('is shown as it is where more was taken, as by a penalty, and while the store was away', async () => {
    expect(await at([0, ...tenSeconds(30, 330)]).most()).toBe(600)
    const away = at(tenSeconds(30, 40))
    away.recorded.count('local', ['log'], { second: -3, units: 20 })
    expect(await away.most()).toBe(310)
  })
})
