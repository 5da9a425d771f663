import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { Data, Labels, Points, Sample, Sink, SinkQuery } from '../../src/index.ts'

export interface SinkUnderTest {
  readonly sink: Sink
  /** Another one for the same data, as another process has it. */
  readonly second: Sink
  end(): Promise<void>
}

/** Two for the same data. `ended` is what has to end behind them. */
export function subjectOf([sink, second]: readonly [Sink, Sink], ended?: () => unknown): SinkUnderTest {
  return {
    sink,
    second,
    async end() {
      await sink.close?.()
      await second.close?.()
      await ended?.()
    },
  }
}

const hits: Labels = { data: 'hits', limiter: 'tiger', policy: 'visitor' }

/** Minutes ago, and a whole minute: within any retention. */
export const startSecond: number = 60 * Math.floor(Date.now() / 60_000 - 5)

/** Units at so many seconds after the start. */
export function sample(at: number, units: number, more: Partial<Sample> = {}): Sample {
  return { series: 'hits:tiger:visitor', labels: hits, second: startSecond + at, units, ...more }
}

/** A query of seconds after the start. */
export function span(
  [from, to]: readonly [from: number, to: number],
  more: Partial<SinkQuery> = {},
): SinkQuery {
  return { fromMs: (startSecond + from) * 1000, toMs: (startSecond + to) * 1000, step: '1s', ...more }
}

function valuesOf(points: readonly Points[]): readonly (readonly number[])[] {
  return points.map(({ values }) => values)
}

/** What every sink must do. */
export function describeSink(name: string, start: () => Promise<SinkUnderTest>): void {
  describe(name, () => {
    let subject: SinkUnderTest
    let sink: Sink
    beforeEach(async () => {
      subject = await start()
      sink = subject.sink
    })
    afterEach(() => subject.end())

    describe('what is written', () => {
      it('is added up by second, whoever writes it', async () => {
        await sink.write([sample(0, 2), sample(0, 1), sample(2, 5)])
        await Promise.all([subject.second.write([sample(0, 3)]), sink.write([sample(2, -1), sample(1, 4)])])
        expect(valuesOf(await sink.query(span([0, 3])))).toEqual([[6, 4, 4]])
        expect(await subject.second.query(span([0, 3]))).toEqual(await sink.query(span([0, 3])))
      })

      it('may be late, and out of order', async () => {
        await sink.write([sample(200, 1)])
        await sink.write([sample(3, 2), sample(150, 4)])
        expect(valuesOf(await sink.query(span([0, 240], { step: '1m' })))).toEqual([[2, 0, 4, 1]])
      })

      it('bears its labels, whatever they hold', async () => {
        const odd = ['', '(a,b)', 'a=b', '"quoted"', "it's", '100%', '%28', 'GET /zoo', 'a\nb', '動物園 🐅']
        await sink.write(
          odd.map((policy, i) =>
            sample(0, i + 1, { series: `hits:odd:${i}`, labels: { data: 'hits', policy } }),
          ),
        )
        const points = await sink.query(span([0, 1]))
        expect(points.map(({ labels, values }) => [labels, values[0]])).toEqual(
          odd.map((policy, i) => [{ data: 'hits', policy }, i + 1]),
        )
      })

      it('under one name with several labels is one series', async () => {
        await sink.write([sample(0, 1), sample(1, 2, { labels: { data: 'hits', limiter: 'lion' } })])
        expect(valuesOf(await sink.query(span([0, 2])))).toEqual([[1, 2]])
      })

      it('that is no number is reported, and harms no other', async () => {
        const nonsense = [Number.NaN, Number.POSITIVE_INFINITY].map((units) => sample(0, units))
        const lost = [...nonsense, sample(0.5, 2), sample(0, 4, { series: '' })]
        await expect(sink.write([sample(0, 1), ...lost, sample(1, 1)])).rejects.toMatchObject({
          code: 'SLUICE_STORE',
          units: 6,
        })
        expect(valuesOf(await sink.query(span([0, 2])))).toEqual([[1, 1]])
      })

      it('may be nothing, or much at once', async () => {
        await sink.write([])
        const many = Array.from({ length: 1200 }, (_, i) =>
          sample(i % 60, 1, { series: `hits:many:${i % 7}` }),
        )
        await sink.write(many)
        const points = await sink.query(span([0, 60], { step: '1m' }))
        expect(points.map(({ values: [units = 0] }) => units).sort()).toEqual([
          171, 171, 171, 171, 172, 172, 172,
        ])
      })
    })

    describe('what is read', () => {
      // biome-ignore format: a table
      it.each<[what: string, from: number, to: number, step: SinkQuery['step'], first: number, values: readonly number[]]>([
        // the span                             from   to    step   first  values
        ['each second',                         0,     4,    '1s',  0,     [1, 0, 0, 2]],
        ['each second, in milliseconds',        0,     4,    1000,  0,     [1, 0, 0, 2]],
        ['what ends with the last sample left out', 0, 3,    '1s',  0,     [1, 0, 0]],
        ['a bucket for several seconds',        0,     20,   '10s', 0,     [3, 4]],
        ['buckets that begin before the span',  3,     20,   '10s', 0,     [3, 4]],
        ['buckets that end behind the span',    0,     11,   '10s', 0,     [3, 4]],
        ['a span of parts of a second',         0.5,   3.001, '1s', 0,     [1, 0, 0, 2]],
        ['gaps before and behind',              -20,   40,   '10s', -20,   [0, 0, 3, 4, 0, 0]],
        ['steps that are aligned to no minute', 0,     21,   '7s',  -(startSecond % 7), sevens()],
      ])('%s', async (_, from, to, step, first, values) => {
        await sink.write([sample(0, 1), sample(3, 2), sample(12, 4)])
        const [points, ...others] = await sink.query(span([from, to], { step }))
        expect(points).toEqual({
          series: 'hits:tiger:visitor',
          labels: hits,
          fromMs: (startSecond + first) * 1000,
          stepMs: typeof step === 'number' ? step : 1000 * Number.parseInt(step, 10),
          values,
        })
        expect(others).toEqual([])
      })

      it.each<[what: string, query: Partial<SinkQuery>, series: readonly string[]]>([
        ['all series, by name', {}, ['admitted:a', 'denied:a:p', 'hits:a:p', 'hits:b:p']],
        ['one series', { series: 'hits:a:p' }, ['hits:a:p']],
        ['a series that is not there', { series: 'hits:a' }, []],
        ['one kind of data', { data: 'hits' }, ['hits:a:p', 'hits:b:p']],
        ['one series of its kind', { series: 'hits:a:p', data: 'hits' }, ['hits:a:p']],
        ['one series of another kind', { series: 'hits:a:p', data: 'denied' }, []],
      ])('%s', async (_, query, series) => {
        const named = (name: string, data: Data) => sample(0, 1, { series: name, labels: { data } })
        await sink.write([
          named('hits:b:p', 'hits'),
          named('hits:a:p', 'hits'),
          named('admitted:a', 'admitted'),
          named('denied:a:p', 'denied'),
        ])
        expect((await sink.query(span([0, 1], query))).map((points) => points.series)).toEqual(series)
      })

      it('no series that has nothing in the span', async () => {
        await sink.write([sample(0, 1), sample(70, 1, { series: 'hits:later:p' })])
        expect((await sink.query(span([60, 120]))).map(({ series }) => series)).toEqual(['hits:later:p'])
        expect(await sink.query(span([120, 180], { series: 'hits:later:p' }))).toEqual([])
      })

      it('no more than 100,000 values: the error names a step that would do', async () => {
        const many = Array.from({ length: 150 }, (_, i) => sample(-660, 1, { series: `hits:many:${i}` }))
        // A write may take two seconds, which is little for so many where others work.
        for (let from = 0; from < many.length; from += 100) await sink.write(many.slice(from, from + 100))
        const tooFine = span([-660, 240])
        const refused = await sink.query(tooFine).catch((error: unknown) => error)
        expect(refused).toMatchObject({ code: 'SLUICE_OPTION', path: 'query.step' })
        const [, step] =
          /at least "(\d+s)" for this span of 150 series/.exec((refused as Error).message) ?? []
        const points = await sink.query({ ...tooFine, step: step as SinkQuery['step'] })
        expect(points).toHaveLength(150)
        expect(points.every(({ values }) => values[0] === 1)).toBe(true)
      })

      // biome-ignore format: a table
      it.each<[path: string, query: object]>([
        ['query.step',   span([0, 10], { step: '1500ms' })],
        ['query.step',   span([0, 10], { step: 0 })],
        ['query.step',   span([0, 86_400 * 2])],
        ['query.toMs',   span([10, 10])],
        ['query.toMs',   { ...span([0, 1]), toMs: Number.POSITIVE_INFINITY }],
        ['query.fromMs', { ...span([0, 1]), fromMs: '-' }],
        ['query.fromMs', { ...span([0, 1]), fromMs: -1 }],
        ['query.data',   span([0, 1], { data: 'hit' as Data })],
        ['query.series', { ...span([0, 1]), series: 5 }],
        ['query.from',   { ...span([0, 1]), from: 0 }],
        ['query',        []],
      ])('not what makes no sense: %s', async (path, query) => {
        await expect(sink.query(query as SinkQuery)).rejects.toMatchObject({ code: 'SLUICE_OPTION', path })
      })
    })

    it(`${name}: its clock is the time`, async () => {
      const before = Date.now()
      const nowMs = await sink.nowMs?.()
      expect(nowMs).toBeGreaterThanOrEqual(before - 50)
      expect(nowMs).toBeLessThanOrEqual(Date.now() + 50)
    })
  })
}

/** What every sink that stores events must do. */
export function describeEvents(name: string, start: () => Promise<SinkUnderTest>): void {
  describe(name, () => {
    let subject: SinkUnderTest
    let sink: Sink
    beforeEach(async () => {
      subject = await start()
      sink = subject.sink
    })
    afterEach(() => subject.end())

    describe('events', () => {
      const startMs = startSecond * 1000
      /** The texts of those since so many seconds after the start. */
      const since = async (from: number) =>
        (await sink.events?.(startMs + from * 1000))?.map(({ atMs, text }) => [(atMs - startMs) / 1000, text])

      it('are those of all writers, the oldest first, each once', async () => {
        const [away, back] = [
          { atMs: startMs + 2000, text: 'away' },
          { atMs: startMs + 9500, text: '{"title":"back 🐅"}' },
        ]
        await sink.addEvents?.([back, away, away])
        await subject.second.addEvents?.([away, { ...away, text: 'blocked' }, { ...away, atMs: startMs }])
        expect(await since(0)).toEqual([
          [0, 'away'],
          [2, 'away'],
          [2, 'blocked'],
          [9.5, '{"title":"back 🐅"}'],
        ])
        expect(await since(2.001)).toEqual([[9.5, '{"title":"back 🐅"}']])
      })

      it('are the latest thousand, whenever they come', async () => {
        const some = (from: number, count: number) =>
          Array.from({ length: count }, (_, i) => ({
            atMs: startMs + 1000 * (from + i),
            text: `${from + i}`,
          }))
        await sink.addEvents?.(some(10, 200))
        for (let from = 210; from < 1210; from += 200) await sink.addEvents?.(some(from, 200))
        await sink.addEvents?.(some(0, 10))
        const kept = await since(0)
        expect([kept?.length, kept?.[0], kept?.at(-1)]).toEqual([1000, [210, '210'], [1209, '1209']])
      })

      it('may be none', async () => {
        await sink.addEvents?.([])
        expect(await since(0)).toEqual([])
      })
    })

    it('traffic is kept apart from events', async () => {
      const atMs = startSecond * 1000
      await sink.addEvents?.([{ atMs, text: 'away' }])
      await sink.addTraffic?.([{ atMs, text: 'requests' }])
      await subject.second.addTraffic?.([{ atMs: atMs - 1000, text: 'earlier' }])
      expect(await sink.traffic?.(0)).toEqual([
        { atMs: atMs - 1000, text: 'earlier' },
        { atMs, text: 'requests' },
      ])
      expect(await subject.second.traffic?.(atMs)).toEqual([{ atMs, text: 'requests' }])
      expect(await sink.events?.(0)).toEqual([{ atMs, text: 'away' }])
    })
  })
}

/** What 1 at 0, 2 at 3 and 4 at 12 come to in buckets of seven seconds over [0, 21). */
function sevens(): readonly number[] {
  const first = startSecond % 7
  const values = Array.from({ length: Math.ceil((first + 21) / 7) }, () => 0)
  for (const [at, units] of [
    [0, 1],
    [3, 2],
    [12, 4],
  ] as const) {
    const bucket = Math.floor((first + at) / 7)
    values[bucket] = (values[bucket] ?? 0) + units
  }
  return values
}
