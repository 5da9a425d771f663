import { afterEach, describe, expect, it } from '@jest/globals'
import { type Decision, memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { type Limits, type LoadLimitsOptions, loadLimits } from '../src/index.ts'

const tree = {
  schema: {
    user: {
      children: {
        '*': {
          limits: { strategy: 'fixedWindow', limit: 4, window: '1m' },
          children: {
            trade: { limits: { strategy: 'fixedWindow', limit: 2, window: '1h' } },
            health: { limits: 'unlimited' },
            admin: { limits: 'deny', children: { audit: { limits: [1, 1, 1] } } },
            report: {
              limits: {
                fast: { strategy: 'fixedWindow', limit: 1, window: '1s' },
                daily: { strategy: 'fixedWindow', limit: 3, window: '1d', shadow: true },
              },
            },
          },
        },
        root: { children: { trade: { limits: { strategy: 'fixedWindow', limit: 9, window: '1m' } } } },
      },
    },
  },
}

const open: Limits[] = []
afterEach(async () => {
  for (const limits of open.splice(0)) await limits.close()
})

async function load(options: Partial<LoadLimitsOptions> = {}): Promise<Limits> {
  const asked = { tree, store: memoryStore({ clock: manualClock() }), ...options }
  const limits = await loadLimits(asked as LoadLimitsOptions)
  open.push(limits)
  return limits
}

async function times(limits: Limits, path: readonly string[], count: number): Promise<readonly Decision[]> {
  const decisions: Decision[] = []
  for (let i = 0; i < count; i++) decisions.push(await limits.check(path))
  return decisions
}

describe('a path through a tree', () => {
  // biome-ignore format: a table
  it.each<[string, readonly string[], readonly string[]]>([
    // what                                  path                                 levels
    ['meets every limit on its way',         ['user', 'alex', 'trade'],           ['user/*', 'user/*/trade']],
    ['meets those before it leaves',         ['user', 'alex', 'walk', 'slowly'],  ['user/*']],
    ['prefers an exact name',                ['user', 'root', 'trade'],           ['user/root/trade']],
    ['does not go back to the star',         ['user', 'root', 'walk'],            []],
    ['is freed of the limits before it',     ['user', 'alex', 'health'],          []],
    ['meets all policies of a place',        ['user', 'alex', 'report'],          ['user/*', 'user/*/report/fast', 'user/*/report/daily']],
    ['meets nothing outside the tree',       ['ip', '10.0.0.1'],                  []],
    ['knows no name of an object',           ['__proto__', 'constructor'],        []],
  ])('%s: %j', async (_what, path, levels) => {
    const limits = await load()
    const decision = await limits.check(path)
    expect(decision.allowed).toBe(true)
    expect(Object.keys(decision.verdicts)).toEqual(levels)
    expect(limits.explain(path).filter(({ policy }) => policy !== 'unlimited').map(({ level }) => level)).toEqual(levels)
  })

  it('meets a place that is called as no member of an object can be set', async () => {
    const both = {
      fast: { strategy: 'uniform', interval: '1s' },
      daily: { strategy: 'uniform', interval: '1d' },
    }
    const place = { limits: [0, 1, 60], children: { here: { limits: both } } }
    const limits = await load({ tree: { schema: Object.fromEntries([['__proto__', place]]) } })
    const levels = ['__proto__', '__proto__/here/fast', '__proto__/here/daily']
    const path = ['__proto__', 'here']
    expect(Object.keys((await limits.check(path)).verdicts)).toEqual(levels)
    expect(Object.keys(await limits.inspect(path))).toEqual(levels)
  })

  it('is counted under its beginning: by name, not by pattern', async () => {
    const limits = await load()
    await times(limits, ['user', 'alex', 'trade'], 2)
    expect(await limits.check(['user', 'alex', 'trade'])).toMatchObject({
      allowed: false,
      policy: 'user/*/trade',
    })
    expect(await limits.check(['user', 'eva', 'trade'])).toMatchObject({ allowed: true, remaining: 1 })
    expect((await limits.peek(['user', 'alex'])).remaining).toBe(1)
    expect((await limits.peek(['user', 'alex'])).key).toEqual(['user', 'alex'])
  })

  it('that is denied is refused, charges nobody, and so is what lies below', async () => {
    const limits = await load()
    for (const path of [
      ['user', 'alex', 'admin'],
      ['user', 'alex', 'admin', 'audit'],
    ]) {
      expect(await limits.check(path)).toMatchObject({
        allowed: false,
        reason: 'denied',
        policy: 'user/*/admin',
        retryAfterMs: null,
      })
      expect((await limits.peek(path)).reason).toBe('denied')
    }
    expect((await limits.peek(['user', 'alex'])).remaining).toBe(4)
    expect(await limits.authorizeActionForUser('alex', 'admin')).toEqual({
      summary: [1, 0, 0, -1, 0],
      levels: [],
    })
  })

  // biome-ignore format: a table
  it.each<[unknown, string]>([
    // path                       what came
    ['user/alex',                 '"user/alex" (string)'],
    [[],                          'a list of 0'],
    [['user', 7],                 'a list of 2'],
    [undefined,                   'undefined'],
  ])('is a list of names: %j', async (path, got) => {
    const limits = await load()
    const message = `path: expected a list of names such as ["user", "alex", "trade"], got ${got}`
    await expect(limits.check(path as string[])).rejects.toThrow(message)
    await expect(limits.block(path as string[], '1m')).rejects.toThrow(message)
  })

  it('that meets nothing can be made an error', async () => {
    const limits = await load({ unmatched: 'error' })
    await expect(limits.check(['ip', '10.0.0.1'])).rejects.toThrow(TypeError)
    expect((await limits.check(['user', 'alex', 'health'])).allowed).toBe(true)
  })

  it('takes a cost for all levels, or one for each', async () => {
    const limits = await load()
    await limits.check(['user', 'alex', 'trade'], { cost: { 'user/*': 3 } })
    expect((await limits.inspect(['user', 'alex', 'trade']))['user/*']?.remaining).toBe(1)
    expect((await limits.inspect(['user', 'alex', 'trade']))['user/*/trade']?.remaining).toBe(1)
    await expect(limits.check(['user', 'alex'], { cost: JSON.parse('[3]') })).rejects.toThrow(
      'cost: expected a whole number of at least 0, or one by level, got a list of 1',
    )
    await expect(limits.check(['user', 'alex'], { cost: { 'user/*/trad': 3 } })).rejects.toThrow(
      'cost.user/*/trad: expected the name of a level (did you mean "user/*/trade"?)',
    )
  })

  it('is blocked, freed and reset at its last place alone', async () => {
    const limits = await load()
    const path = ['user', 'alex', 'report']
    await limits.check(path)
    await limits.block(path, '1m')
    expect((await limits.check(['user', 'alex'])).allowed).toBe(true)
    expect(await limits.check(path)).toMatchObject({
      allowed: false,
      reason: 'blocked',
      policy: 'user/*/report/fast',
    })
    await limits.unblock(path)
    await limits.reset(path)
    expect(await limits.inspect(path)).toMatchObject({
      'user/*': { remaining: 1 },
      'user/*/report/fast': { remaining: 1, blockedMs: null },
      'user/*/report/daily': { remaining: 3, blockedMs: null },
    })
    await expect(limits.block(['ip'], '1m')).rejects.toThrow('a path that meets a limit of the tree')
  })
})

describe('who is charged when a level refuses', () => {
  const both = { ...tree, charge: 'all-or-nothing' }
  // biome-ignore format: a table
  it.each<[string, Partial<LoadLimitsOptions>, number]>([
    // who                                             options                                   left of user/*
    ['every level, where nothing is said',             {},                                       1],
    ['as the file says',                               { tree: both },                           2],
    ['as the option says, whatever the file says',     { tree: both, charge: 'every-level' },    1],
  ])('%s', async (_who, options, left) => {
    const limits = await load(options)
    await times(limits, ['user', 'alex', 'trade'], 3)
    expect((await limits.peek(['user', 'alex'])).remaining).toBe(left)
  })
})

describe('other limits', () => {
  const stricter = {
    schema: { user: { children: { '*': { limits: { strategy: 'fixedWindow', limit: 3, window: '1m' } } } } },
  }

  it('hold at once, and count on', async () => {
    const limits = await load()
    await times(limits, ['user', 'alex', 'trade'], 2)
    limits.replace(stricter)
    expect(await limits.check(['user', 'alex', 'trade'])).toMatchObject({
      allowed: true,
      policy: 'user/*',
      remaining: 0,
    })
    expect((await limits.check(['user', 'alex', 'trade'])).allowed).toBe(false)
  })

  const window = '10s'
  // biome-ignore format: a table
  it.each<[string, object, number, object, { remaining?: number; retryAfterMs?: number }]>([
    // strategy              numbers                                 taken  other numbers                            then
    ['fixedWindow',          { limit: 5, window },                   2,     { limit: 3, window },                    { remaining: 1 }],
    ['attributedWindow',     { limit: 5, window },                   2,     { limit: 9, window: '1s' },              { remaining: 7 }],
    ['fairShare',            { limit: 5, window },                   2,     { limit: 9, window: '1s' },              { remaining: 7 }],
    ['slidingWindowLog',     { limit: 5, window },                   2,     { limit: 3, window: '20s' },             { remaining: 1 }],
    ['slidingWindowCounter', { limit: 5, window },                   2,     { limit: 3, window },                    { remaining: 1 }],
    ['multiWindow',          { limits: [{ limit: 5, window }] },     2,     { limits: [{ limit: 3, window: '20s' }] }, { remaining: 1 }],
    // A rate that becomes higher keeps the units, one that becomes lower the time: 2 s are one of five in ten seconds.
    ['gcra',                 { count: 10, period: '10s' },           4,     { count: 20, period: '10s' },            { remaining: 16 }],
    ['gcra',                 { count: 10, period: '10s' },           2,     { count: 5, period: '10s' },             { remaining: 4 }],
    ['tokenBucket',          { capacity: 10, count: 1, period: '1s' }, 4,   { capacity: 5, count: 2, period: '1s' }, { remaining: 1 }],
    ['leakyBucket',          { capacity: 10, count: 1, period: '1s' }, 4,   { capacity: 5, count: 3, period: '1s' }, { remaining: 1 }],
    ['uniform',              { interval: '10s' },                    1,     { interval: '4s', maxDebt: '1s' },       { retryAfterMs: 5000 }],
    ['uniform',              { interval: '10s' },                    1,     { interval: '20s' },                     { retryAfterMs: 10_000 }],
  ])('keep what %s has counted: %j, %i taken, then %j', async (strategy, numbers, taken, others, then) => {
    const limits = await load({ tree: { schema: { user: { limits: { strategy, ...numbers } } } } })
    await limits.check(['user'], { cost: taken })
    limits.replace({ schema: { user: { limits: { strategy, ...others } } } })
    expect(await limits.peek(['user'])).toMatchObject(then)
  })

  it('that are wrong change nothing', async () => {
    const limits = await load()
    expect(() => limits.replace({ schema: { user: { limits: [1, 2] } } })).toThrow('schema.user.limits')
    expect((await limits.check(['user', 'alex'])).limit).toBe(4)
  })
})

describe('an option that makes no sense', () => {
  // biome-ignore format: a table
  it.each<[string, object, string]>([
    // what             options                                   path
    ['no source',       {},                                       'file'],
    ['two sources',     { tree, text: 'schema:' },                'file'],
    ['no name',         { file: 7 },                              'file'],
    ['no text',         { text: 7 },                              'text'],
    ['unmatched',       { tree, unmatched: 'refuse' },              'unmatched'],
    ['no choice',       { tree, unmatched: null },                'unmatched'],
    ['watch',           { file: 'limits.yaml', watch: 'yes' },    'watch'],
    ['no watch',        { file: 'limits.yaml', watch: null },     'watch'],
    ['onReload',        { file: 'limits.yaml', onReload: 7 },     'onReload'],
    ['charge',          { tree, charge: 'all' },                  'charge'],
    ['tag',             { tree, tag: 0 },                         'tag'],
    ['a policy',        { tree, policy: {} },                     'policy'],
    ['units ahead',     { tree, ahead: '20ms' },                  'ahead'],
  ])('%s', async (_what, options, path) => {
    await expect(loadLimits(options as LoadLimitsOptions)).rejects.toMatchObject({ code: 'SLUICE_OPTION', path })
  })

  it('units ahead are answered with the reason', async () => {
    const options = { tree, ahead: '20ms' } as unknown as LoadLimitsOptions
    await expect(loadLimits(options)).rejects.toThrow('as a path is charged level by level')
  })

  // biome-ignore format: a table
  it.each<[object, string]>([
    [{ path: 'limits.yaml' },     "path: expected a known option (write file: 'limits.yaml'), got"],
    [{ fileName: 'limits.yaml' }, "fileName: expected a known option (write file: 'limits.yaml'), got"],
    [{ fil: 'limits.yaml' },      'fil: expected a known option (did you mean "file"?), got'],
    [{ tree, max: 5 },            'max: expected a known option (one of file, text, tree, from, watch,'],
  ])('%j is answered with what loadLimits takes, and not with any word of as many letters', async (given, message) => {
    await expect(loadLimits(given as LoadLimitsOptions)).rejects.toThrow(message)
  })

  it.each([null, undefined, 'limits.yaml'])(
    '%p in place of options is answered with what to write',
    async (given) => {
      const message = "options: expected an object of options such as { file: 'limits.yaml' }, got"
      await expect(loadLimits(given as unknown as LoadLimitsOptions)).rejects.toThrow(message)
    },
  )

  it('a file that is not there is a problem of the limits', async () => {
    await expect(loadLimits({ file: 'no-such-folder/limits.yaml' })).rejects.toMatchObject({
      code: 'SLUICE_LIMITS',
      message: 'no-such-folder/limits.yaml: expected a file that can be read, got ENOENT',
    })
  })
})

it('kinds of request have their prices on every level of a path, and others are an error', async () => {
  const limits = await load({ prices: { read: 1, write: 2 } })
  const path = ['user', 'alex', 'trade']
  const { verdicts } = await limits.authorize(path, { cost: 'write' })
  expect(Object.values(verdicts).map((verdict) => [verdict?.cost, verdict?.remaining])).toEqual([
    [2, 2],
    [2, 0],
  ])
  expect((await limits.authorize(path, { cost: 'read' })).allowed).toBe(false)
  await expect(limits.authorize(path, { cost: 'wirte' })).rejects.toMatchObject({
    code: 'SLUICE_OPTION',
    message: expect.stringContaining('did you mean "write"?'),
  })
})
