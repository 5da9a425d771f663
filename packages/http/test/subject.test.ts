import { describe, expect, it } from '@jest/globals'
import { createLimiter, fixedWindow, type Key, notApplicable, type Warning } from '@sluice/core'
import { encodeKey } from '@sluice/core/internal'
import fc from 'fast-check'
import type { AnyOptions } from '../src/options.ts'
import { viewOf } from '../src/request-view.ts'
import { type GateLimiter, KeyAnswers, SubjectReader } from '../src/subject.ts'
import { exchangeOf } from './exchange.ts'

const policy = fixedWindow({ limit: 2, window: '10s' })
const view = viewOf(exchangeOf().facts, 64)

/** What a limiter of these policies is asked. */
async function asked(names: readonly string[], options: AnyOptions<object>): Promise<unknown[]> {
  const questions: unknown[] = []
  const limiter = createLimiter({ policies: Object.fromEntries(names.map((name) => [name, policy])) })
  const decider = {
    name: 'asked',
    lanes: names.map((name) => ({ name })),
    check: async (subject: never, more?: object) => {
      questions.push({ subject, ...more })
      return limiter.check(subject, {})
    },
  }
  await new SubjectReader<object>(options, decider as unknown as GateLimiter).ask({}, view) // it names what it has
  return questions
}

describe('the subject', () => {
  // biome-ignore format: a table
  it.each([
    // key answers            is asked as
    [undefined,               'keyless:192.0.2.1'],
    [null,                    'keyless:192.0.2.1'],
    ['',                      'keyless:192.0.2.1'],
    [[],                      'keyless:192.0.2.1'],
    [[''],                    'keyless:192.0.2.1'],
    ['bob',                   'bob'],
    [0,                       0],
    [['', 'bob'],             ['', 'bob']],
    // Nothing that an answer may be is what stands for no answer.
    ['192.0.2.1',             '192.0.2.1'],
    ['keyless',               'keyless'],
    ['keyless 192.0.2.1',     'keyless 192.0.2.1'],
    ['keyless:192.0.2.1',     'keyless~:192.0.2.1'],
    [['keyless:192.0.2.1'],   'keyless~:192.0.2.1'],
    ['keyless~:192.0.2.1',    'keyless~~:192.0.2.1'],
    [['keyless:192.0.2.1', 'bob'], ['keyless:192.0.2.1', 'bob']],
    [{ visitor: 'keyless:192.0.2.1', attraction: ['keyless:'] }, { visitor: 'keyless~:192.0.2.1', attraction: 'keyless~:' }],
    [{ visitor: undefined, attraction: 7 },    { visitor: 'keyless:192.0.2.1', attraction: 7 }],
    [{ visitor: '', attraction: [] },          { visitor: 'keyless:192.0.2.1', attraction: 'keyless:192.0.2.1' }],
    [{ visitor: null, attraction: 'tigers' },  { visitor: 'keyless:192.0.2.1', attraction: 'tigers' }],
    [{ visitor: notApplicable, attraction: 7 }, { visitor: notApplicable, attraction: 7 }],
    [{ visitor: 'bob', visiter: 'eve' },       { visitor: 'bob', attraction: 'keyless:192.0.2.1' }],
    [JSON.parse('{"__proto__":{"visitor":"eve"}}'), { visitor: 'keyless:192.0.2.1', attraction: 'keyless:192.0.2.1' }],
    [Object.create(null),     { visitor: 'keyless:192.0.2.1', attraction: 'keyless:192.0.2.1' }],
    [true,                    'keyless:192.0.2.1'],
    [Number.NaN,              'keyless:192.0.2.1'],
    [['bob', null],           'keyless:192.0.2.1'],
    [new Date(0),             'keyless:192.0.2.1'],
    [new Map([['visitor', 'bob']]), 'keyless:192.0.2.1'],
    [{},                      { visitor: 'keyless:192.0.2.1', attraction: 'keyless:192.0.2.1' }],
  ])('of a key function that answers %j', async (key, subject) => {
    for (const answer of [() => key, async () => key]) {
      expect(await asked(['visitor', 'attraction'], { key: answer })).toEqual([{ subject }])
    }
  })

  it('is a record where policies have names, and the network where `policy` is a single one', async () => {
    for (const record of [{ default: 'bob' }, { default: null }, { toString: 'bob' }]) {
      expect(await asked(['default'], { key: () => record })).toEqual([{ subject: 'keyless:192.0.2.1' }])
    }
    expect(await asked(['visitor'], { key: () => ({ visitor: 'bob' }) })).toEqual([
      { subject: { visitor: 'bob' } },
    ])
  })

  it('of a policy that is called as what every object has is its own member, or the network', async () => {
    const names = ['constructor', 'toString']
    expect(await asked(names, { key: () => ({}) })).toEqual([
      { subject: { constructor: 'keyless:192.0.2.1', toString: 'keyless:192.0.2.1' } },
    ])
  })

  it.each([() => 'bob', Symbol('bob'), ['bob', Promise.resolve('eve')], { visitor: Symbol('bob') }])(
    'is never %p, which no client can write',
    async (key) => {
      for (const answer of [() => key, async () => key]) {
        const asking = asked(['visitor', 'attraction'], { key: answer })
        await expect(asking).rejects.toMatchObject({
          code: 'SLUICE_OPTION',
          path: expect.stringMatching(/^key/),
        })
      }
    },
  )

  it.each(['', null, undefined, [''], { name: 'trade' }])(
    'of a path has a name in each place, not %j',
    (place) => {
      const keys = new KeyAnswers({ asksPaths: true }, { answered: true })
      expect(keys.subject(['user', place, 'trade'], view.network)).toEqual([
        'user',
        'keyless:192.0.2.1',
        'trade',
      ])
    },
  )

  it.each<[unknown, got: string]>([
    ['user', '"user" (string)'],
    [undefined, 'undefined'],
    [[], 'a list of 0'],
    [{ user: 'bob' }, 'an object'],
  ])('of a path is never %j, which is none', (answer, got) => {
    const keys = new KeyAnswers({ asksPaths: true }, { answered: true })
    expect(() => keys.subject(answer, view.network)).toThrow(
      `key: expected a path such as ["user", "alex"], as the limiter is a tree, got ${got}`,
    )
  })

  it('that is no key is warned of once, however many clients write it', () => {
    const warnings: string[] = []
    const warned = ({ code }: Warning) => void warnings.push(code)
    const keys = new KeyAnswers({ lanes: [{ name: 'visitor' }], warned }, { answered: true })
    for (const answer of [true, { visitor: {} }, { visiter: 'eve' }]) keys.subject(answer, view.network)
    expect(warnings).toEqual(['SLUICE_KEY_NOT_USABLE'])
  })

  it('is not asked of anybody where nothing applies', async () => {
    for (const answer of [() => notApplicable, async () => notApplicable]) {
      const options = { key: answer, cost: () => 2 }
      expect(await asked(['visitor'], { key: answer })).toEqual([])
      expect(await asked(['visitor'], options)).toEqual([])
    }
  })

  it('is the network without a key function', async () => {
    expect(await asked(['visitor'], {})).toEqual([{ subject: '192.0.2.1' }])
  })

  it('of a key function never meets what stands for no answer, and different answers never meet', () => {
    const parts = fc.constantFrom('keyless', ':', '~', '192.0.2.1', 'unknown', '::/64', 'a', '')
    const texts = fc.array(parts, { minLength: 1, maxLength: 5 }).map((all) => all.join(''))
    const answers = fc.oneof(texts, fc.array(texts, { minLength: 1, maxLength: 3 }))
    const networks = fc.constantFrom('192.0.2.1', 'unknown', '::/64')
    const keys = new KeyAnswers({ lanes: [{ name: 'default' }] }, { answered: true })
    const nameOf = (answer: Key) => encodeKey(keys.subject(answer, 'never') as Key)
    const usable = answers.filter((answer) => String(answer) !== '')
    const property = fc.property(usable, usable, networks, (one, other, network) => {
      const instead = encodeKey(keys.subject(undefined, network) as Key)
      expect(nameOf(one)).not.toBe(instead)
      expect(nameOf(one) === nameOf(other)).toBe(encodeKey(one) === encodeKey(other))
    })
    fc.assert(property, { numRuns: 2000 })
  })

  it('is left to a decider that does not show its policies', async () => {
    const subjects: unknown[] = []
    const check = async (subject: never) => {
      subjects.push(subject)
      return createLimiter({ policy }).check('bob')
    }
    const path = new Map([['user', 'bob']])
    await new SubjectReader<object>({ key: () => path }, { name: 'tree', check }).ask({}, view)
    expect(subjects).toEqual([path])
  })
})

describe('the question', () => {
  it('is asked without a promise where nothing is async', () => {
    const limiter = createLimiter({ policy }) as unknown as GateLimiter // it has what a gate asks
    expect(new SubjectReader<object>({ cost: 2 }, limiter).ask({}, view)).toMatchObject({
      allowed: true,
      cost: 2,
    })
  })

  it('carries cost and note', async () => {
    for (const note of [() => 'request 7', async () => 'request 7'])
      expect(await asked(['visitor'], { cost: async () => 2, note })).toEqual([
        { subject: '192.0.2.1', cost: 2, note: 'request 7' },
      ])
  })

  it('carries the policies chosen for the request, and notApplicable where none applies', async () => {
    const choice = { visitor: () => policy, attraction: async () => notApplicable }
    expect(await asked(['visitor', 'attraction'], { policies: choice })).toEqual([
      { subject: { visitor: '192.0.2.1', attraction: notApplicable }, policies: { visitor: policy } },
    ])
  })

  it.each([null, undefined, fixedWindow, {}])(
    'is not asked where a policy function answers %p',
    async (plan) => {
      const options = { policies: { visitor: async () => plan as never } }
      await expect(asked(['visitor'], options)).rejects.toMatchObject({
        code: 'SLUICE_OPTION',
        path: 'policies.visitor',
      })
    },
  )

  it('is not asked of whom skip lets by', async () => {
    for (const skip of [() => true, async () => true]) expect(await asked(['visitor'], { skip })).toEqual([])
  })
})
