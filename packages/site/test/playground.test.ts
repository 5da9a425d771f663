import { describe, expect, test } from '@jest/globals'
import { mostArrivals, originUs } from '../src/playground/arrival.ts'
import { clientsOf } from '../src/playground/clients.ts'
import { frameworks, programOf } from '../src/playground/code.ts'
import { compare } from '../src/playground/compare.ts'
import { arrivalsOfDrawn, columnCount, shapes } from '../src/playground/drawn.ts'
import { examples } from '../src/playground/examples.ts'
import { edgesOf, lanesOf, offeredOf } from '../src/playground/lanes.ts'
import { arrivalsOfPasted, readArrivals } from '../src/playground/pasted.ts'
import { dataOf, fieldsOf, numbersOf, strategyNames, writtenAs } from '../src/playground/policy.ts'
import { firstScene, hashOf, type Scene, sceneOf } from '../src/playground/scene.ts'
import { simulate } from '../src/playground/simulate.ts'

function drawn(columns: readonly number[], columnMs = 1000): ReturnType<typeof arrivalsOfDrawn> {
  return arrivalsOfDrawn({ kind: 'drawn', columnMs, columns })
}
const each = (units: number): readonly number[] => new Array<number>(columnCount).fill(units)
const border = drawn(shapes.border?.columns ?? [])
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

describe('a simulation', () => {
  test('shows that a fixed window admits twice its limit around a border, and a log does not', async () => {
    const fixed = await simulate({ strategy: 'fixedWindow', limit: 20, window: '10s' }, border)
    const log = await simulate({ strategy: 'slidingWindowLog', limit: 20, window: '10s' }, border)
    expect(fixed.answers.filter(({ allowed }) => allowed)).toHaveLength(40)
    expect(lanesOf(border, fixed).most).toBe(39)
    expect(lanesOf(border, log).most).toBe(20)
    expect(compare(fixed.answers, log.answers)).toEqual({
      both: 21,
      onlyFirst: 19,
      onlySecond: 0,
      neither: 0,
    })
    expect(edgesOf(border, fixed)).toEqual([10, 20])
  })

  test('says what is left at the end of each bucket, also where nobody asks', async () => {
    const run = await simulate({ strategy: 'fixedWindow', limit: 5, window: '2s' }, drawn([3, 0, 0, 9]))
    expect(run.left).toEqual([2, 5, 5, 0])
    expect(lanesOf(drawn([3, 0, 0, 9]), run)).toMatchObject({ admitted: [3, 0, 0, 5], refused: [0, 0, 0, 4] })
  })

  test('gives back what was in flight when its time is over', async () => {
    const traffic = drawn([2, 2, 2, 0])
    const run = await simulate({ strategy: 'concurrency', limit: 2 }, traffic, { holdMs: 1500 })
    // at 0 and 0.5, until 1.5 and 2.0
    expect(run.answers.map(({ allowed }) => allowed)).toEqual([true, true, false, true, true, false])
    expect(lanesOf(traffic, run).inWindow).toEqual([2, 2, 2, 1])
  })

  test.each(strategyNames)('of %s admits some of a flood and refuses some', async (strategy) => {
    const traffic = drawn(shapes.flood?.columns ?? [])
    const run = await simulate(dataOf(writtenAs(strategy, { units: 20, span: '10s' })), traffic, {
      holdMs: 3000,
    })
    const { admitted, refused } = lanesOf(traffic, run)
    expect(sum(admitted)).toBeGreaterThan(0)
    expect(sum(refused)).toBeGreaterThan(0)
    expect(sum(admitted) + sum(refused)).toBe(traffic.arrivals.length)
    expect(run.left).toHaveLength(traffic.axis.buckets)
  })

  test('of a shared limit leaves two clients their share beside one who asks ten times as often', async () => {
    const traffic = arrivalsOfDrawn({ kind: 'drawn', columnMs: 1000, columns: each(12), isCrowd: true })
    const run = await simulate({ strategy: 'fairShare', limit: 30, window: '10s' }, traffic)
    const [amy, ben, cat] = clientsOf(traffic, run)
    expect([amy?.asked, ben?.asked, cat?.asked]).toEqual([400, 40, 40])
    // From the second window on each has ten of the thirty, less one where a part is rounded.
    for (const client of [ben, cat]) expect(client?.admitted).toBeGreaterThanOrEqual(3 * 9)
    expect(amy?.admitted).toBeLessThanOrEqual(30 + 3 * 12)
    const { admitted } = lanesOf(traffic, run)
    for (const begin of [0, 10, 20, 30])
      expect(sum(admitted.slice(begin, begin + 10))).toBeLessThanOrEqual(30)
    expect(run.left).toBeNull()
  })

  test('of the calendar begins a month where its zone says', async () => {
    const traffic = drawn(each(30), 86_400_000)
    const month = { strategy: 'fixedWindow', limit: 500, every: 'month from 31', timeZone: 'Europe/Vienna' }
    const run = await simulate(month, traffic)
    // 5 January to 30 January has more than 500; the new month begins at 23:00 in UTC, before the last request of that day.
    expect(run.answers.filter(({ allowed }) => allowed)).toHaveLength(500 + 1 + 14 * 30)
    expect(edgesOf(traffic, run)).toContain(25 * 86_400 + 23 * 3600)
  })

  test('lets requests wait for their turn, and shows them where they are admitted', async () => {
    const traffic = drawn([50, ...each(0).slice(1)])
    const window = { strategy: 'fixedWindow', limit: 20, window: '10s', maxDebt: '1m' }
    const run = await simulate(window, traffic, { maxWaitMs: 20_000 })
    const { admitted, most } = lanesOf(traffic, run)
    expect([admitted[0], admitted[10], admitted[20], sum(admitted)]).toEqual([20, 20, 10, 50])
    // Across a border of fixed windows; only the first one has left when the second window begins.
    expect(most).toBe(39)
    expect(Math.max(...run.answers.map(({ waitMs }) => waitMs))).toBe(20_000 - 40 * 20)
    const plain = await simulate({ strategy: 'fixedWindow', limit: 20, window: '10s' }, traffic, {
      maxWaitMs: 20_000,
    })
    expect([plain.waits, plain.answers.filter(({ allowed }) => allowed).length]).toEqual([false, 20])
  })

  test.each(Object.entries(examples))(
    'of the example "%s" can be made, and a link keeps it',
    async (_, scene) => {
      if (scene.traffic.kind !== 'drawn') throw new Error('examples are drawn')
      const traffic = arrivalsOfDrawn(scene.traffic)
      for (const policy of scene.policies) {
        const { answers } = await simulate(dataOf(policy), traffic, scene)
        expect(new Set(answers.map(({ allowed }) => allowed)).has(true)).toBe(true)
      }
      expect(sceneOf(hashOf(scene))).toEqual(scene)
    },
  )

  test('counts each key by itself', async () => {
    const traffic = arrivalsOfPasted({ kind: 'pasted', text: '0 amy\n0.1 ben\n0.2 amy\n0.3 ben' })
    const run = await simulate({ strategy: 'fixedWindow', limit: 1, window: '10s' }, traffic)
    expect(run.answers.map(({ allowed }) => allowed)).toEqual([true, true, false, false])
    expect(run.left).toBeNull()
    expect(lanesOf(traffic, run).most).toBe(1)
  })
})

describe('drawn traffic', () => {
  test('is spread evenly from the beginning of each column', () => {
    expect(drawn([2, 0, 1]).arrivals.map(({ atUs }) => atUs - originUs)).toEqual([0, 5e5, 2e6])
    expect(offeredOf(drawn([2, 0, 1]))).toEqual([2, 0, 1])
  })

  test('has an upper bound', () => {
    expect(() => drawn([mostArrivals, 1])).toThrow(
      'The drawing has 20001 requests; the playground takes 20000.',
    )
  })

  test.each(Object.entries(shapes))('"%s" has all columns', (_, { columns }) => {
    expect(columns).toHaveLength(columnCount)
  })
})

describe('pasted traffic', () => {
  const unix = 1_767_600_000
  test.each([
    ['12.5', originUs + 12.5e6, 'bob'],
    ['12.5 amy', originUs + 12.5e6, 'amy'],
    ['12,amy', originUs + 12e6, 'amy'],
    [`${unix}`, unix * 1e6, 'bob'],
    [`${unix}250 amy`, unix * 1e6 + 250e3, 'amy'],
    ['2026-01-05T08:00:00.5Z', unix * 1e6 + 5e5, 'bob'],
    ['192.0.2.1 - - [05/Jan/2026:10:00:00 +0200] "GET / HTTP/1.1" 200 1 "-" "-"', unix * 1e6, '192.0.2.1'],
  ])('%s', (line, atUs, key) => {
    expect(readArrivals(line)).toEqual({ arrivals: [{ atUs, key }], unread: 0 })
  })

  test('is sorted, and lines without a time are counted', () => {
    const { arrivals, unread } = readArrivals('3\n\n1\nnot a time\n2026-13-45T00:00:00Z\n')
    expect(arrivals.map(({ atUs }) => atUs - originUs)).toEqual([1e6, 3e6])
    expect(unread).toBe(2)
  })

  test.each([
    ['0\n1', 11, 1e5],
    ['0\n100', 101, 1e6],
    ['0\n3600', 61, 60e6],
    ['', 1, 1e5],
  ])('%j has %d buckets of %d µs', (text, buckets, stepUs) => {
    expect(arrivalsOfPasted({ kind: 'pasted', text }).axis).toMatchObject({ buckets, stepUs })
  })
})

describe('a policy that is being written', () => {
  test.each(strategyNames)(
    '%s keeps its numbers when it becomes another strategy and comes back',
    (strategy) => {
      const written = writtenAs(strategy, { units: 30, span: '1m' })
      expect(Object.keys(written.fields).length).toBeGreaterThan(0)
      const names = fieldsOf(strategy).map(({ name }) => name)
      expect(Object.keys(written.fields).every((name) => names.includes(name))).toBe(true)
      if (strategy === 'uniform' || strategy === 'concurrency') return
      expect(numbersOf(written)).toEqual({ units: 30, span: '1m' })
    },
  )

  test('is refused with the words of the library', async () => {
    const written = { strategy: 'fixedWindow', fields: { limit: '20', window: '10sec' } }
    await expect(simulate(dataOf(written), border)).rejects.toThrow('window: expected a positive duration')
  })

  test('leaves out what is empty, and reads windows', () => {
    expect(dataOf({ strategy: 'gcra', fields: { count: '5', period: '1m', burst: ' ' } })).toEqual({
      strategy: 'gcra',
      count: 5,
      period: '1m',
    })
    expect(dataOf({ strategy: 'multiWindow', fields: { limits: '20/1s, 100/10s' } }).limits).toEqual([
      { limit: 20, window: '1s' },
      { limit: 100, window: '10s' },
    ])
  })
})

describe('a link', () => {
  const scenes: Readonly<Record<string, Scene>> = {
    'the first scene': firstScene,
    'pasted text': {
      ...firstScene,
      traffic: { kind: 'pasted', text: '2026-01-05T08:00:00+02:00 a&b\n1 #=%' },
    },
    'the sample': { ...firstScene, traffic: { kind: 'sample' }, holdMs: 2500 },
    'all strategies': {
      ...firstScene,
      policies: strategyNames.slice(0, 4).map((name) => writtenAs(name, { units: 7, span: '1m' })),
    },
    windows: { ...firstScene, policies: [writtenAs('multiWindow', { units: 7, span: '1m' })] },
    'two windows': {
      ...firstScene,
      policies: [{ strategy: 'multiWindow', fields: { limits: '20/1s, 100/10s' } }],
    },
  }
  test.each(Object.entries(scenes))('brings back %s', (_, scene) => {
    expect(sceneOf(`#${hashOf(scene)}`)).toEqual(scene)
  })

  test('can be read by people', () => {
    expect(hashOf(firstScene)).toBe(
      'drawn=1000:1,0x8,19,20,0x29&policy=fixedWindow:limit=20,window=10s&policy=slidingWindowLog:limit=20,window=10s',
    )
  })

  test.each([
    '',
    '#',
    '#nonsense',
    '#drawn=1000:1x39',
    '#drawn=999:1x40',
    '#policy=nosuch:limit=1',
    '#hold=x',
  ])('that says nothing that is known, %j, shows the first scene', (hash) => {
    expect(sceneOf(hash)).toEqual(firstScene)
  })
})

describe('the program', () => {
  test('is complete', () => {
    const written = { strategy: 'multiWindow', fields: { limits: '20/1s, 100/10s' } }
    expect(programOf(written, { framework: 'express', place: 'redis' })).toEqual({
      install: 'npm install @sluice/core @sluice/express express ioredis',
      program: `import { multiWindow, redisStore } from '@sluice/core'
import { rateLimit } from '@sluice/express'
import express from 'express'

const app = express()
// app.set('trust proxy', 1) // only behind one proxy: where there is none, a client could choose its address
app.use(rateLimit({
  policy: multiWindow({ limits: [{ limit: 20, window: '1s' }, { limit: 100, window: '10s' }] }),
  store: redisStore('redis://localhost'),
}))
app.get('/', (_req, res) => void res.send('hello'))
app.listen(3000)
`,
    })
  })

  test('of a window whose callers wait makes it reservable', () => {
    const written = { strategy: 'fixedWindow', fields: { limit: '20', window: '10s', maxDebt: '1m' } }
    const { program } = programOf(written, { framework: 'none', place: 'memory', maxWaitMs: 5000 })
    expect(program).toContain("import { createLimiter, fixedWindow, reservable } from '@sluice/core'")
    expect(program).toContain(
      "policy: reservable(fixedWindow({ limit: 20, window: '10s' }), { maxDebt: '1m' })",
    )
    expect(program).toContain("await limiter.wait('bob', { maxWait: 5000 })")
    const { program: server } = programOf(written, { framework: 'koa', place: 'memory', maxWaitMs: 5000 })
    expect(server).toContain('maxWait: 5000')
  })

  test('of a shared limit names the client', () => {
    const written = { strategy: 'fairShare', fields: { limit: '20', window: '10s' } }
    const { program } = programOf(written, { framework: 'fastify', place: 'memory' })
    expect(program).toContain("key: () => 'all'")
    expect(program).toContain('note: (request) => request.ip')
    expect(programOf(written, { framework: 'none', place: 'memory' }).program).toContain(
      "limiter.check('all', { note: 'bob' })",
    )
  })

  test.each(Object.keys(frameworks))(
    'for %s names the strategy and nothing that it does not import',
    (framework) => {
      const written = { strategy: 'gcra', fields: { count: '20', period: '10s' } }
      const { program } = programOf(written, { framework, place: 'memory' })
      expect(program).toContain("{ policy: gcra({ count: 20, period: '10s' }) }")
      expect(program).not.toContain('redisStore')
    },
  )
})
