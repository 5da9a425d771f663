import { afterEach, describe, expect, it } from '@jest/globals'
import {
  createLimiter,
  type Decision,
  fixedWindow,
  gcra,
  guardedStore,
  type Limiter,
  type LimiterSettings,
  type Policies,
  type Store,
} from '@sluice/core'
import { Room } from '../src/bounded.ts'
import type { Recorder } from '../src/index.ts'
import { Ledger } from '../src/ledger.ts'
import { movedRecorder, silent } from './moved-recorder.ts'

const away: Store = {
  name: 'redis',
  async answer() {
    throw new Error('away')
  },
  async adjust() {},
  manage() {},
  close: async () => {},
}

const window = '1h'
const policies = { tight: fixedWindow({ limit: 2, window }), wide: fixedWindow({ limit: 100, window }) }

type Calls = (limiter: Limiter<Policies>) => Promise<unknown>
type Settings = LimiterSettings & { policies?: Policies }

let limiter: Limiter<Policies> | undefined
afterEach(() => limiter?.close())

/** What a recorder has written once these calls were made. */
async function recorded(settings: Settings, calls: Calls): Promise<Record<string, number>> {
  const { seen, sink } = movedRecorder()
  const given = { name: 'zoo', policies, logger: silent, ...settings, observers: [seen] }
  limiter = createLimiter<Policies>(given)
  await calls(limiter)
  await seen.flush()
  return sink.totals()
}

function times(count: number, cost = 1): Calls {
  return async (asked) => {
    for (let i = 0; i < count; i++) await asked.check('bob', { cost })
  }
}

const one = { policies: { tight: policies.tight } }
const store = guardedStore(away, { deadline: '1s' })

describe('what is counted', () => {
  it.each<[what: string, settings: Settings, calls: Calls, counted: Record<string, number>]>([
    [
      'units and not calls',
      { policies: { wide: policies.wide } },
      times(3, 40),
      { 'admitted:zoo': 80, 'hits:zoo:wide': 80, 'refused:zoo': 40, 'denied:zoo:wide': 40 },
    ],
    ['nothing of what costs nothing', one, times(3, 0), {}],
    ['nothing of looks', one, (asked) => asked.peek('bob'), {}],
    [
      'of a refused request nothing for a policy that took nothing',
      {},
      times(3),
      {
        'admitted:zoo': 2,
        'hits:zoo:tight': 2,
        'hits:zoo:wide': 2,
        'refused:zoo': 1,
        'denied:zoo:tight': 1,
      },
    ],
    [
      'of a refused request what each level took',
      { charge: 'every-level' },
      times(3),
      {
        'admitted:zoo': 2,
        'hits:zoo:tight': 2,
        'hits:zoo:wide': 3,
        'refused:zoo': 1,
        'denied:zoo:tight': 1,
      },
    ],
    [
      'amounts where a policy counts fractions, also of a refused request',
      {
        charge: 'every-level',
        policies: { ...policies, wide: fixedWindow({ limit: 100, window, unit: 0.01 }) },
      },
      times(3),
      {
        'admitted:zoo': 2,
        'hits:zoo:tight': 2,
        'hits:zoo:wide': 3,
        'refused:zoo': 1,
        'denied:zoo:tight': 1,
      },
    ],
    [
      'what a shadow policy would refuse as denied, and as the hit that it was',
      { shadow: { tight: true } },
      times(3),
      { 'admitted:zoo': 3, 'hits:zoo:tight': 3, 'hits:zoo:wide': 3, 'denied:zoo:tight': 1 },
    ],
    [
      'a request that is settled later as what it truly cost',
      one,
      async (asked) => (await asked.check('bob', { cost: 2 })).settle(5),
      { 'admitted:zoo': 2, 'hits:zoo:tight': 5 },
    ],
    [
      'a request that is given back as none',
      one,
      async (asked) => (await asked.check('bob', { cost: 2 })).refund(),
      { 'admitted:zoo': 2 },
    ],
    [
      'what is answered without the store as local, besides',
      { ...one, store },
      times(3),
      {
        'admitted:zoo': 2,
        'hits:zoo:tight': 2,
        'refused:zoo': 1,
        'denied:zoo:tight': 1,
        'local:zoo': 3,
      },
    ],
    [
      'what is refused for want of the store as local, too',
      { ...one, store, onStoreFailure: 'deny' },
      times(1),
      { 'refused:zoo': 1, 'denied:zoo:tight': 1, 'local:zoo': 1 },
    ],
  ])('%s', async (_, settings, calls, counted) => {
    expect(await recorded(settings, calls)).toEqual(counted)
  })

  it('whoever is turned away as too many wait as refused, while the store is well', async () => {
    const { seen, sink } = movedRecorder()
    const policy = gcra({ count: 1, period: '10s' })
    const gate = createLimiter({ name: 'zoo', policy, maxSleepers: 1, logger: silent, observers: [seen] })
    await gate.wait('bob')
    const held = gate.wait('bob').catch(() => 'closed')
    await gate.wait('bob')
    await seen.flush()
    expect(sink.totals()).toEqual({
      'admitted:zoo': 2,
      'hits:zoo:default': 2,
      'refused:zoo': 1,
      'denied:zoo:default': 1,
    })
    await gate.close()
    await held
  })

  it('a reservation, until it is cancelled', async () => {
    const { seen, sink } = movedRecorder()
    const policy = gcra({ count: 1, period: '1m' })
    const gate = createLimiter({ name: 'zoo', policy, observers: [seen] })
    await gate.check('bob')
    const later = await gate.reserve('bob')
    await seen.flush()
    expect(sink.totals()).toEqual({ 'admitted:zoo': 2, 'hits:zoo:default': 2 })
    await later.cancel()
    await seen.flush()
    expect(sink.totals()).toEqual({ 'admitted:zoo': 2, 'hits:zoo:default': 1 })
    await gate.close()
  })

  it('a refusal by a deny list, and not as one for want of a store', async () => {
    const { seen, sink } = movedRecorder()
    const verdict = { allowed: false, policy: 'tight', key: 'bob', cost: 1, reason: 'denied' }
    const denied = { ...verdict, limiter: 'zoo', source: 'none', verdicts: { tight: verdict } }
    seen.decided?.(denied as unknown as Decision, { operation: 'check', durationMs: 0 }) // as far as it is read
    await seen.flush()
    expect(sink.totals()).toEqual({ 'refused:zoo': 1, 'denied:zoo:tight': 1 })
  })
})

/** Checks once in each of several limiters. */
async function checkIn(seen: Recorder, names: readonly string[], key = 'bob'): Promise<void> {
  for (const name of names) {
    const each = createLimiter({ name, policy: policies.wide, observers: [seen] })
    await each.check(key)
    await each.close()
  }
}

describe('names of series', () => {
  it('hold no delimiter of theirs but between their parts', async () => {
    const { seen, sink } = movedRecorder()
    const given = { 'a:b': policies.wide, '{c}': policies.wide }
    const gate = createLimiter({ name: 'GET /%', policies: given, observers: [seen] })
    await gate.check('bob')
    await gate.close()
    await seen.flush()
    const samples = sink.batches.flat()
    expect(samples.map(({ series }) => series)).toEqual([
      'admitted:GET /%25',
      'hits:GET /%25:a%3ab',
      'hits:GET /%25:%7bc%7d',
    ])
    expect(samples[1]?.labels).toEqual({ data: 'hits', limiter: 'GET /%', policy: 'a:b' })
  })

  it('are there for every policy, however many limiters there are', async () => {
    const warned: string[] = []
    const { seen, sink } = movedRecorder({ maxSeries: 1 })
    seen.watch({ warned: ({ code }) => warned.push(code) })
    const names = Array.from({ length: 2000 }, (_, i) => `limiter${i}`)
    await checkIn(seen, names)
    await seen.flush()
    const totals = sink.totals()
    expect(names.filter((name) => totals[`hits:${name}:default`] !== 1)).toEqual([])
    expect(Object.keys(totals)).toHaveLength(4000)
    expect(warned).toEqual([])
  })

  it('share one name from a number on that only an endless program reaches, which is said', async () => {
    const warned: string[] = []
    const { seen, sink } = movedRecorder()
    seen.watch({ warned: ({ code }) => warned.push(code) })
    await checkIn(
      seen,
      Array.from({ length: 20_000 }, (_, i) => `made-${i}`),
    )
    await seen.flush()
    const totals = sink.totals()
    const counted = Object.entries(totals).reduce(
      (sum, [name, units]) => (name.startsWith('hits:') ? sum + units : sum),
      0,
    )
    expect(counted).toBe(20_000)
    expect(totals['hits:other:other']).toBeGreaterThan(1000)
    expect(warned).toEqual(['SLUICE_NAMES_FULL'])
  })
})

describe('groups', () => {
  it('are bounded in number: what is in further ones is counted in their policy, which is said', async () => {
    const warned: string[] = []
    const { seen, sink } = movedRecorder({ series: ({ key }) => String(key), maxSeries: 2 })
    seen.watch({ warned: ({ code }) => warned.push(code) })
    for (const key of ['ann', 'bob', 'eve', 'max', 'ann']) await checkIn(seen, ['zoo'], key)
    await seen.flush()
    expect(sink.totals()).toEqual({
      'admitted:zoo': 5,
      'hits:zoo:default:ann': 2,
      'hits:zoo:default:bob': 1,
      'hits:zoo:default': 2,
    })
    expect(warned).toEqual(['SLUICE_SERIES_FULL'])
  })

  it('part the series of a policy', async () => {
    const plans = new Map([['bob', 'paid']])
    const { seen, sink } = movedRecorder({ series: ({ key }) => plans.get(String(key)) ?? '' })
    await checkIn(seen, ['zoo'], 'bob')
    await checkIn(seen, ['zoo'], 'carol')
    await seen.flush()
    expect(sink.totals()).toEqual({
      'admitted:zoo': 2,
      'hits:zoo:default:paid': 1,
      'hits:zoo:default': 1,
    })
    const parted = sink.batches.flat().find(({ series }) => series === 'hits:zoo:default:paid')
    expect(parted?.labels).toEqual({ data: 'hits', limiter: 'zoo', policy: 'default', group: 'paid' })
  })

  it.each<[what: string, series: () => string]>([
    [
      'throws',
      () => {
        throw new Error('no plan')
      },
    ],
    ['answers no text', () => 5 as unknown as string],
  ])('by a function that %s are none, which is reported once', async (_, series) => {
    const warned: string[] = []
    const { seen, sink } = movedRecorder({ series })
    seen.watch({ warned: ({ code }) => warned.push(code) })
    await checkIn(seen, ['zoo', 'zoo'])
    await seen.flush()
    await checkIn(seen, ['zoo'])
    await seen.flush()
    expect(sink.totals()).toEqual({ 'admitted:zoo': 3, 'hits:zoo:default': 3 })
    expect(warned).toEqual(['SLUICE_SERIES_FAILED'])
  })

  it('have names of no more than a hundred characters', async () => {
    const { seen, sink } = movedRecorder({ series: () => 'x'.repeat(5000) })
    await checkIn(seen, ['zoo'])
    await seen.flush()
    expect(sink.totals()).toMatchObject({ [`hits:zoo:default:${'x'.repeat(100)}`]: 1 })
  })
})

it('has durations only of decisions that have asked a store', async () => {
  const added: number[] = []
  const rooms = { names: new Room(10), groups: new Room(0) }
  const ledger = new Ledger({ rooms, nearLimit: 1, timing: () => ({ add: (ms) => void added.push(ms) }) })
  limiter = createLimiter<Policies>({ name: 'zoo', policies, logger: silent })
  const decision = await limiter.check('bob')
  for (const durationMs of [0, 3]) ledger.add(decision, durationMs, '')
  expect(added).toEqual([3])
})
