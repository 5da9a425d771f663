import { describe, expect, it } from '@jest/globals'
import { memorySink } from '../../src/index.ts'
import { memorySinkAt } from '../../src/memory-sink.ts'
import { maxSeries } from '../../src/slice.ts'
import { describeEvents, describeSink, sample, span, startSecond } from './describe-sink.ts'

for (const describeEach of [describeSink, describeEvents])
  describeEach('the memory sink', async () => {
    const sink = memorySink()
    return { sink, second: sink, end: async () => {} }
  })

describe('the memory sink', () => {
  let nowMs = 0
  const at = (second: number) => {
    nowMs = (startSecond + second) * 1000
  }

  it('forgets what is older than its retention, and no sooner', async () => {
    at(0)
    const sink = memorySinkAt(() => nowMs, { retention: '10m' })
    await sink.write([sample(0, 1)])
    at(600)
    await sink.write([sample(600, 1)])
    expect((await sink.query(span([0, 1])))[0]?.values).toEqual([1])
    // What was counted within two minutes is forgotten together.
    at(720)
    await sink.write([sample(720, 1)])
    expect(await sink.query(span([0, 1]))).toEqual([])
  })

  it('keeps a second at least: 60 is milliseconds', () => {
    expect(() => memorySink({ retention: 60 })).toThrow('retention: expected at least "1s", got 60 (number)')
  })

  it('does not take what is older than its retention', async () => {
    at(1000)
    const sink = memorySinkAt(() => nowMs, { retention: '10m' })
    await expect(sink.write([sample(0, 3), sample(1000, 1)])).rejects.toMatchObject({ units: 3 })
    expect((await sink.query(span([1000, 1001])))[0]?.values).toEqual([1])
  })

  it('goes on when a clock that was far ahead is set right', async () => {
    at(86_400 * 365)
    const sink = memorySinkAt(() => nowMs)
    await sink.write([sample(86_400 * 365, 1)])
    at(0)
    await sink.write([sample(0, 1)])
    expect((await sink.query(span([0, 1])))[0]?.values).toEqual([1])
  })

  it('keeps the latest fifty thousand series', async () => {
    const sink = memorySink()
    const all = Array.from({ length: 50_001 }, (_, i) => sample(0, 1, { series: `hits:many:${i}` }))
    await sink.write(all)
    const points = await sink.query(span([0, 1], { step: '1m' }))
    expect(points).toHaveLength(50_000)
    expect(points.some(({ series }) => series === 'hits:many:0')).toBe(false)
  })
})

it('of too many series that which was written longest ago is forgotten, and not one that goes on', async () => {
  const sink = memorySink()
  const second = Math.floor(Date.now() / 1000)
  const named = (series: string) =>
    ({ series, labels: { data: 'hits', limiter: 'a' }, second, units: 1 }) as const
  await sink.write(['goes on', 'ended'].map(named))
  await sink.write(Array.from({ length: maxSeries - 2 }, (_, i) => named(`other ${i}`)))
  await sink.write(['goes on', 'one more'].map(named))
  const about = { fromMs: (second - 1) * 1000, toMs: (second + 1) * 1000, step: '1s' } as const
  const left = ['goes on', 'ended', 'one more'].map(
    async (series) => (await sink.query({ ...about, series })).length,
  )
  expect(await Promise.all(left)).toEqual([1, 0, 1])
})
