import { describe, expect, it } from '@jest/globals'
import { answering, rowOf } from '@sluice/conformance/internal'
import {
  concurrency,
  createLimiter,
  type Decision,
  fixedWindow,
  gcra,
  memoryStore,
  notApplicable,
  tokenBucket,
  uniform,
} from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { outcomeOf } from '../src/index.ts'

function store() {
  return memoryStore({ clock: manualClock() })
}

const both = { headers: { draft: true } } as const

describe('outcomeOf', () => {
  it('has the fields of an admission', async () => {
    const limiter = createLimiter({
      name: 'tickets',
      policy: fixedWindow({ limit: 2, window: '10s' }),
      store: store(),
    })
    expect(outcomeOf(await limiter.check('bob'), both)).toMatchObject({
      headers: [
        ['X-RateLimit-Limit', '2'],
        ['X-RateLimit-Remaining', '1'],
        ['X-RateLimit-Reset', '10'],
        ['RateLimit-Policy', '"tickets";q=2;w=10'],
        ['RateLimit', '"tickets";r=1;t=10'],
      ],
      refusal: null,
    })
  })

  it('has the calendar in its fields: the window that runs, and until its end', async () => {
    let nowUs = 0
    const limiter = createLimiter({
      name: 'quota',
      policy: fixedWindow({ limit: 2, every: 'day', timeZone: 'Europe/Vienna' }),
      store: memoryStore({ clock: { nowUs: () => nowUs } }),
    })
    // biome-ignore format: a table
    const rows = [
      // at                     policy                    state              X-RateLimit-Reset
      ['2024-03-29T23:00:00Z', '"quota";q=2;w=86400',    '"quota";r=1;t=86400', '86400'],
      ['2024-03-30T22:59:59Z', '"quota";q=2;w=86400',    '"quota";r=0;t=1',     '1'],
      ['2024-03-30T23:00:00Z', '"quota";q=2;w=82800',    '"quota";r=1;t=82800', '82800'],
      ['2024-03-31T22:00:00Z', '"quota";q=2;w=86400',    '"quota";r=1;t=86400', '86400'],
      ['2024-10-26T22:00:00Z', '"quota";q=2;w=90000',    '"quota";r=1;t=90000', '90000'],
      ['2024-10-27T12:00:00Z', '"quota";q=2;w=90000',    '"quota";r=0;t=39600', '39600'],
      ['2024-10-27T12:00:00Z', '"quota";q=2;w=90000',    '"quota";r=0;t=39600', '39600'],
      ['2024-10-27T23:00:00Z', '"quota";q=2;w=86400',    '"quota";r=1;t=86400', '86400'],
    ] as const
    for (const [at, policy, state, reset] of rows) {
      nowUs = Date.parse(at) * 1000
      const { headers } = outcomeOf(await limiter.check('bob'), both)
      const fields = Object.fromEntries(headers)
      expect([at, fields['RateLimit-Policy'], fields.RateLimit]).toEqual([at, policy, state])
      expect(fields['X-RateLimit-Reset']).toBe(reset)
    }
  })

  it('has the quota of the policy that was chosen for the call', async () => {
    const [free, paid] = [fixedWindow({ limit: 2, window: '10s' }), fixedWindow({ limit: 5, window: '10s' })]
    const limiter = createLimiter({ name: 'plan', policy: free, store: store() })
    const quotas: unknown[] = []
    for (const policy of [free, paid, free]) {
      const decision = await limiter.peek('bob', { policy })
      for (const draft of [8, 7] as const)
        quotas.push(
          Object.fromEntries(outcomeOf(decision, { headers: { draft } }).headers)['RateLimit-Policy'],
        )
    }
    expect(quotas).toEqual([
      '"plan";q=2;w=10',
      '2;w=10',
      '"plan";q=5;w=10',
      '5;w=10',
      '"plan";q=2;w=10',
      '2;w=10',
    ])
  })

  it('says in drafts 6 and 7 when a refused request may come back, and no quota of what is in flight', async () => {
    const name = 'tickets'
    const rate = createLimiter({ name, policy: gcra({ count: 3, period: '30s' }), store: store() })
    await rate.check('bob', { cost: 3 })
    const refused = await rate.check('bob')
    const fields = (draft: 6 | 7) => Object.fromEntries(outcomeOf(refused, { headers: { draft } }).headers)
    expect(fields(6)).toMatchObject({
      'RateLimit-Reset': '10',
      'X-RateLimit-Reset': '30',
      'Retry-After': '10',
    })
    expect(fields(7)).toMatchObject({
      RateLimit: 'limit=3, remaining=0, reset=10',
      'RateLimit-Policy': '3;w=30',
    })
    const places = createLimiter({ name, policy: concurrency({ limit: 5 }), store: store() })
    const { headers } = outcomeOf(await places.check('bob'), { headers: { draft: 7 } })
    expect(headers.map(([field]) => field)).not.toContain('RateLimit-Policy')
  })

  it('has the fields and the refusal of a refusal', async () => {
    const limiter = createLimiter({ name: 'gate', policy: uniform({ interval: '10s' }), store: store() })
    await limiter.check('bob')
    const decision = await limiter.check('bob')
    expect(outcomeOf(decision)).toMatchObject({
      decision,
      headers: [
        ['X-RateLimit-Limit', '1'],
        ['X-RateLimit-Remaining', '0'],
        ['X-RateLimit-Reset', '10'],
        ['Retry-After', '10'],
        ['Cache-Control', 'no-store'],
      ],
      refusal: { status: 429, type: 'application/problem+json' },
    })
    const { refusal } = outcomeOf(decision, { accept: 'text/plain' })
    expect(refusal).toEqual({
      status: 429,
      type: 'text/plain; charset=utf-8',
      body: 'Too many requests: try again in 10 seconds.',
    })
  })

  it('says that nothing remains in a refusal, though some does that is too little', async () => {
    const row = rowOf(['limited', 3, 2_000_000, 9_000_000], 10)
    const limiter = createLimiter({ name: 'p', policy: uniform({ interval: '1s' }), store: answering([row]) })
    const fields = Object.fromEntries(outcomeOf(await limiter.check('bob'), both).headers)
    expect(fields).toMatchObject({ 'X-RateLimit-Remaining': '0', RateLimit: '"p";r=3;t=2' })
  })

  it('names no policy in shadow mode among those that refuse', async () => {
    const policies = { real: uniform({ interval: '10s' }), tried: uniform({ interval: '1m' }) }
    const limiter = createLimiter({ policies, shadow: { tried: true }, store: store() })
    await limiter.check('bob')
    const { refusal } = outcomeOf(await limiter.check('bob'))
    expect(JSON.parse(refusal?.body ?? '')['violated-policies']).toEqual(['real'])
  })

  it.each([
    [6, ['RateLimit-Limit', '2'], ['RateLimit-Remaining', '1'], ['RateLimit-Reset', '10']],
    [7, ['RateLimit', 'limit=2, remaining=1, reset=10']],
  ] as const)('has the fields of draft %d', async (draft, ...numbers) => {
    const limiter = createLimiter({ policy: fixedWindow({ limit: 2, window: '10s' }), store: store() })
    const { headers } = outcomeOf(await limiter.check('bob'), { headers: { x: false, draft } })
    expect(headers).toEqual([['RateLimit-Policy', '2;w=10'], ...numbers])
  })

  it('has nothing for a decision about nothing', async () => {
    const limiter = createLimiter({ policies: { visitor: uniform({ interval: '10s' }) }, store: store() })
    expect(outcomeOf(await limiter.check({ visitor: notApplicable }), both)).toEqual({
      decision: null,
      headers: [],
      refusal: null,
    })
  })

  it('sends no field where none is wanted, but always the wait', async () => {
    const limiter = createLimiter({ policy: uniform({ interval: '10s' }), store: store() })
    expect(outcomeOf(await limiter.check('bob'), { headers: false }).headers).toEqual([])
    expect(outcomeOf(await limiter.check('bob'), { headers: false }).headers).toEqual([
      ['Retry-After', '10'],
      ['Cache-Control', 'no-store'],
    ])
  })

  // biome-ignore format: a table
  it.each([
    // limit      remaining   X-RateLimit-Limit    X-RateLimit-Remaining
    [1e21,        0.5,        '999999999999999',   '0'],
    [10.5,        -1,         '10',                '0'],
    [Number.NaN,  Infinity,   '0',                 '999999999999999'],
  ])('says whole numbers, whatever a store of somebody else counts: %d, %d', async (limit, remaining, ...said) => {
    const row = rowOf(['allowed', remaining, 0, 0], limit)
    const limiter = createLimiter({ policy: uniform({ interval: '1s' }), store: answering([row]) })
    const { headers } = outcomeOf(await limiter.check('bob'))
    expect(headers.slice(0, 2).map(([, value]) => value)).toEqual(said)
  })

  // biome-ignore format: a table
  it.each<[object, string]>([
    // options              path
    [{ header: false },     'header'],
    [{ headers: true },     'headers'],
    [{ accept: 5 },         'accept'],
    [{ accept: null },      'accept'],
  ])('refuses options that make no sense: %j', async (options, path) => {
    const decision = await createLimiter({ policy: uniform({ interval: '1s' }) }).check('bob')
    expect(() => outcomeOf(decision, options)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }))
  })

  it('percent-encodes names that a field cannot hold', async () => {
    const limiter = createLimiter({
      name: 'Füttern "heute"',
      policy: uniform({ interval: '1s' }),
      store: store(),
    })
    await limiter.check('bob')
    const { headers, refusal } = outcomeOf(await limiter.check('bob'), both)
    expect(Object.fromEntries(headers).RateLimit).toBe('"F%C3%BCttern %22heute%22";r=0;t=1')
    expect(JSON.parse(refusal?.body ?? '')['violated-policies']).toEqual(['F%C3%BCttern %22heute%22'])
  })

  // biome-ignore format: a table
  it.each([
    // policy                                              draft fields after one request
    [gcra({ count: 10, period: '1m' }),                    ['"p";q=10;w=60', '"p";r=9;t=6']],
    [tokenBucket({ capacity: 5, count: 10, period: '1m' }), ['"p";q=5;w=30', '"p";r=4;t=6']],
    [uniform({ interval: '1500ms' }),                      ['"p";q=1;w=2', '"p";r=0;t=2']],
  ])('states quota and window so that their ratio is the true rate', async (policy, fields) => {
    const limiter = createLimiter({ name: 'p', policy, store: store() })
    const { headers } = outcomeOf(await limiter.check('bob'), { headers: { x: false, draft: true } })
    expect(headers.map(([, value]) => value)).toEqual(fields)
  })

  it('states the longest wait of several refusing policies, and names them all', async () => {
    const policies = {
      short: fixedWindow({ limit: 1, window: '10s' }),
      long: fixedWindow({ limit: 1, window: '1m' }),
      fine: fixedWindow({ limit: 9, window: '1h' }),
    }
    const limiter = createLimiter({ policies, store: store() })
    await limiter.check('bob')
    const { headers, refusal } = outcomeOf(await limiter.check('bob'), both)
    expect(Object.fromEntries(headers)).toMatchObject({
      'X-RateLimit-Limit': '1',
      'X-RateLimit-Reset': '60',
      'Retry-After': '60',
      RateLimit: '"short";r=0;t=10, "long";r=0;t=60, "fine";r=8;t=3600',
    })
    expect(JSON.parse(refusal?.body ?? '')).toMatchObject({
      'violated-policies': ['short', 'long'],
      retryAfter: 60,
    })
  })
})

it('outcomeOf names what came in place of a decision, such as a promise that nobody has awaited', async () => {
  const promise = createLimiter({ name: 'promised', policy: gcra({ count: 1, period: '1s' }) }).check('bob')
  const given: unknown[] = [promise, undefined]
  for (const each of given)
    expect(() => outcomeOf(each as Decision)) // as plain JavaScript passes it
      .toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path: 'decision' }))
  await promise
})
