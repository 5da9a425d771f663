import { describe, expect, it } from '@jest/globals'
import {
  attributedWindow,
  type CheckOptions,
  createLimiter,
  defineStrategy,
  fixedWindow,
  gcra,
  type Limiter,
  notApplicable,
  type OptionError,
  type Policies,
  type Subject,
} from '../../src/index.ts'

const ten = fixedWindow({ limit: 10, window: '10s' })

function several(): Limiter<Policies> {
  return createLimiter<Policies>({ policies: { visitor: ten, attraction: ten } })
}

async function rejection(of: Promise<unknown>): Promise<unknown> {
  return of.then(
    () => 'nothing was wrong',
    (error: unknown) => error,
  )
}

describe('a wrong argument', () => {
  // biome-ignore format: a table
  it.each<[unknown, unknown, string, string]>([
    // subject                         options                                 path                expected
    [{ visiter: 'bob' },               undefined,                              'subject.visiter',  'the name of a policy (did you mean "visitor"?)'],
    [{ id: 5 },                        undefined,                              'subject.id',       'the name of a policy ("visitor", "attraction")'],
    [{ visitor: 'bob' },               undefined,                              'subject.attraction', 'a key, or notApplicable where the policy does not apply'],
    [{ visitor: 'bob', attraction: undefined }, undefined,                     'subject.attraction', 'a key, or notApplicable where the policy does not apply'],
    [{ visitor: 'bob', attraction: null },      undefined,                     'subject.attraction', 'a key, or notApplicable where the policy does not apply, got null'],
    [{ visitor: 'bob', attraction: { id: 7 } }, undefined,                     'subject.attraction', 'a key, or notApplicable where the policy does not apply, got an object'],
    [undefined,                        undefined,                              'subject',          'a key, or one for each policy by name (notApplicable where a policy does not apply), got undefined'],
    [null,                             undefined,                              'subject',          'a key, or one for each policy by name (notApplicable where a policy does not apply), got null'],
    [notApplicable,                    undefined,                              'subject',          'a key, or one for each policy by name'],
    [new Map([['visitor', 'bob']]),    undefined,                              'subject',          'a key, or one for each policy by name'],
    [['bob', null],                    undefined,                              'subject',          'a key, or one for each policy by name'],
    [['bob', notApplicable],           undefined,                              'subject',          'a key, or one for each policy by name'],
    ['bob',                            { cost: null },                         'cost',             'a whole number of at least 0, or one by policy'],
    ['bob',                            { cost: [5] },                          'cost',             'a whole number of at least 0, or one by policy'],
    ['bob',                            { cost: new Map([['visitor', 5]]) },    'cost',             'a whole number of at least 0, or one by policy'],
    ['bob',                            { cost: { visitor: null } },            'cost',             'a whole number of at least 0'],
    ['bob',                            { cost: { visiter: null } },            'cost.visiter',     'the name of a policy (did you mean "visitor"?)'],
    ['bob',                            { policies: ten },                      'policies',         'policies by name, got a policy (fixedWindow)'],
    ['bob',                            ten,                                    'options',          'an object of options such as { policy: gcra({ … }) }, got a policy (fixedWindow)'],
    ['bob',                            { policies: 5 },                        'policies',         'policies by name'],
    ['bob',                            { policies: { visitor: null } },        'policy',           'a policy such as gcra'],
    ['bob',                            { cost: -1 },                           'cost',             'a whole number of at least 0'],
    ['bob',                            { cost: 1.5 },                          'cost',             'a whole number of at least 0'],
    ['bob',                            { cost: Number.NaN },                   'cost',             'a whole number of at least 0'],
    ['bob',                            { cost: Number.POSITIVE_INFINITY },     'cost',             'a whole number of at least 0'],
    ['bob',                            { cost: 2 ** 53 },                      'cost',             'a whole number of at least 0'],
    ['bob',                            { cost: '5' },                          'cost',             'a whole number of at least 0'],
    ['bob',                            { cost: { visitor: '5' } },             'cost',             'a whole number of at least 0'],
    ['bob',                            { cost: { visiter: 5 } },               'cost.visiter',     'the name of a policy (did you mean "visitor"?)'],
    ['bob',                            { costs: 5 },                           'options.costs',    'a known option (did you mean "cost"?)'],
    ['bob',                            5,                                      'options',          'an object of options such as { cost: … }'],
    ['bob',                            { policy: ten },                        'policy',           'policies by name, as this limiter has several'],
    ['bob',                            { policies: { visiter: ten } },         'policies.visiter', 'the name of a policy (did you mean "visitor"?)'],
    ['bob',                            { policies: { visitor: { limit: 5 } } }, 'policy',          'a policy such as gcra'],
    ['bob',                            { note: 5 },                            'note',             'a string'],
  ])('is a TypeError that says where and what: check(%j, %j)', async (subject, options, path, expected) => {
    const limiter = several()
    for (const operation of [limiter.check, limiter.peek]) {
      const asked = operation.call(limiter, subject as Subject<string>, options as CheckOptions<string>)
      const error = await rejection(asked)
      expect(error).toBeInstanceOf(TypeError)
      expect(error).toMatchObject({ code: 'SLUICE_OPTION', path })
      expect((error as OptionError).message).toContain(`${path}: expected ${expected}`)
    }
  })

  // biome-ignore format: a table
  it.each<[string, unknown]>([
    // what          key
    ['no text',      ''],
    ['no members',   []],
    ['true',         true],
    ['a record in a member', { visitor: { id: 7 }, attraction: 'tigers' }],
    ['no number',    Number.NaN],
  ])('is a TypeError: %s for a key', async (_what, key) => {
    expect(await rejection(several().check(key as string))).toBeInstanceOf(TypeError)
    expect(await rejection(several().block(key as string, '1m'))).toBeInstanceOf(TypeError)
    expect(await rejection(several().inspect(key as string))).toBeInstanceOf(TypeError)
  })

  // biome-ignore format: a table
  it.each([
    // time
    [0],
    [-1],
    ['10'],
    ['ten'],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    ['367d'],
    [null],
    [undefined],
  ])('is a TypeError: block for %j, penalize({ wait: %j })', async (time) => {
    const limiter = createLimiter({ policy: gcra({ count: 10, period: '1s' }) })
    for (const asked of [limiter.block('bob', time as '1s'), limiter.penalize('bob', { wait: time as '1s' })]) {
      const error = await rejection(asked)
      expect(error).toBeInstanceOf(TypeError)
      expect((error as Error).message).toMatch(/expected a positive duration such as "10s" \(ms, s, m, h, d\) or 10000/)
    }
  })

  // biome-ignore format: a table
  it.each([
    // penalty
    [-1],
    [0.5],
    [Number.NaN],
    ['5'],
    [{ visitor: -1 }],
    [undefined],
    [null],
    [[]],
  ])('is a TypeError: penalize by %j', async (penalty) => {
    const limiter = createLimiter({ policies: { visitor: ten } })
    expect(await rejection(limiter.penalize('bob', penalty as number))).toMatchObject({ path: 'penalty' })
  })

  // biome-ignore format: a table
  it.each([
    // units
    [-1],
    [0.5],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [2 ** 53],
    ['5'],
    [{ visitor: -1 }],
    [{ visitor: null }],
    [{ visitor: Number.POSITIVE_INFINITY }],
    [undefined],
    [null],
    [[]],
    [new Map([['visitor', 1]])],
  ])('is a TypeError: reward by %j, set to %j', async (units) => {
    const limiter = createLimiter({ policies: { visitor: ten } })
    await limiter.check('bob')
    for (const [asked, path] of [
      [limiter.reward('bob', units as number), 'units'],
      [limiter.set('bob', units as number), 'used'],
    ] as const) {
      const error = await rejection(asked)
      expect(error).toBeInstanceOf(TypeError)
      expect(error).toMatchObject({ code: 'SLUICE_OPTION', path })
      expect((error as Error).message).toContain('expected a whole number of at least 0, or one by policy')
    }
    expect((await limiter.peek('bob')).remaining).toBe(9)
  })

  it('is a unit for a policy that there is not, and nothing is given to the others', async () => {
    const limiter = createLimiter({ policies: { visitor: ten, attraction: ten } })
    await limiter.check('bob')
    for (const [verb, path] of [
      ['reward', 'units'],
      ['set', 'used'],
    ] as const) {
      const units = { visitor: 0, visiter: 5, attraction: 1 }
      const error = await rejection(limiter[verb]('bob', units))
      expect((error as OptionError).message).toContain(
        `${path}.visiter: expected the name of a policy (did you mean "visitor"?)`,
      )
      expect(await rejection(limiter[verb]('', 1))).toMatchObject({ path: 'subject' })
      expect(await rejection(limiter[verb]('bob', { attraction: 0, visitor: -1 }))).toMatchObject({ path })
    }
    expect((await limiter.peek('bob')).verdicts).toMatchObject({
      visitor: { remaining: 9 },
      attraction: { remaining: 9 },
    })
  })

  it('is a penalty for a policy that there is not', async () => {
    const limiter = several() as unknown as { penalize(key: string, penalty: object): Promise<void> }
    const error = await rejection(limiter.penalize('bob', { visiter: 5 }))
    expect((error as OptionError).message).toContain(
      'penalty.visiter: expected the name of a policy (did you mean "visitor"?)',
    )
  })

  it('takes nothing', async () => {
    const limiter = several()
    await rejection(limiter.check({ visitor: 'bob', attraction: '' }))
    await rejection(limiter.check('bob', { cost: { visitor: 1, attraction: -1 } }))
    expect((await limiter.peek('bob')).verdicts.visitor?.remaining).toBe(10)
  })

  it('is what a strategy cannot do', async () => {
    const bare = defineStrategy({
      name: 'bare',
      can: [],
      parse: () => ({}),
      limitOf: () => 1,
      look: () => ({ allowed: true, limit: 1, remaining: 1, retryAfterUs: 0, resetAfterUs: 0 }),
      take: () => ({}),
      idleUs: () => 0,
    })
    const limiter = createLimiter<Policies>({ policies: { visitor: bare({}) } })
    for (const verb of ['penalize', 'reward', 'set'] as const) {
      const call = limiter[verb] as unknown as (subject: string, units: number) => Promise<void>
      const error = await rejection(call.call(limiter, 'bob', 1))
      expect(error).toBeInstanceOf(TypeError)
      expect(error).toMatchObject({
        code: 'SLUICE_UNSUPPORTED',
        message: `limiter.${verb}: the strategy of policy "visitor", bare, cannot ${verb}`,
      })
    }
  })
})

describe('a policy that is called as what every object has', () => {
  it.each(['constructor', 'toString', 'valueOf'])(
    '%s: limits, where records say nothing of it',
    async (name) => {
      const limiter = createLimiter<Policies>({
        policies: { [name]: fixedWindow({ limit: 1, window: '1h' }) },
        shadow: {},
        onStoreFailure: {},
        tag: {},
      })
      await limiter.check('bob', { cost: {}, policies: {} })
      expect((await limiter.check('bob', { cost: {}, policies: {} })).allowed).toBe(false)
    },
  )
})

describe('what does not apply', () => {
  it('is left out', async () => {
    const decision = await several().check({ visitor: 'bob', attraction: notApplicable })
    expect(Object.keys(decision.verdicts)).toEqual(['visitor'])
  })

  it('leaves nothing to check: allowed, and no number is known', async () => {
    const decision = await several().check({ visitor: notApplicable, attraction: notApplicable })
    expect(decision).toMatchObject({
      allowed: true,
      policy: 'visitor',
      limit: Number.POSITIVE_INFINITY,
      remaining: Number.POSITIVE_INFINITY,
      verdicts: {},
      summary: [0, -1, -1, -1, 0],
      source: 'none',
    })
  })
})

describe('a note', () => {
  // biome-ignore format: a table
  it.each([
    // bytes  note                  kept
    [64,      'request 7',          'request 7'],
    [4,       'abcdef',             'abcd'],
    [4,       'aéé',                'aé'],
    [4,       'ééé',                'éé'],
    [5,       'ééé',                'éé'],
    [2,       '€',                  ''],
    [3,       '€€',                 '€'],
    [7,       '\u{1f405}\u{1f427}', '\u{1f405}'],
    [8,       '\u{1f405}\u{1f427}', '\u{1f405}\u{1f427}'],
    [64,      'a\ud800b',           'a\ufffdb'],
    [64,      'x'.repeat(65),       'x'.repeat(64)],
  ])('of at most %d bytes: %j is kept as %j', async (noteBytes, note, kept) => {
    const limiter = createLimiter({ policy: attributedWindow({ limit: 3, window: '1m', noteBytes }) })
    await limiter.check('bob', { note })
    expect((await limiter.inspect('bob')).default?.entries).toMatchObject([{ note: kept }])
  })
})
