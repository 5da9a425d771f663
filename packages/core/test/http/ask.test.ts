import { describe, expect, it } from '@jest/globals'
import { type AskedDecider, Asker } from '../../src/http/ask.ts'
import type { AnyOptions } from '../../src/http/options.ts'
import { viewOf } from '../../src/http/view-of.ts'
import { createLimiter, fixedWindow } from '../../src/index.ts'
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
  await new Asker<object>(options, decider as unknown as AskedDecider).ask({}, view) // it names what it has
  return questions
}

describe('the subject', () => {
  // biome-ignore format: a table
  it.each([
    // key answers            is asked as
    [undefined,               '192.0.2.1'],
    ['',                      '192.0.2.1'],
    [[],                      '192.0.2.1'],
    [[''],                    '192.0.2.1'],
    ['bob',                   'bob'],
    [0,                       0],
    [['', 'bob'],             ['', 'bob']],
    [{ visitor: undefined, attraction: 7 },    { visitor: '192.0.2.1', attraction: 7 }],
    [{ visitor: '', attraction: [] },          { visitor: '192.0.2.1', attraction: '192.0.2.1' }],
    [{ visitor: null, attraction: 'tigers' },  { visitor: null, attraction: 'tigers' }],
    [{},                      { visitor: '192.0.2.1', attraction: '192.0.2.1' }],
  ])('of a key function that answers %j', async (key, subject) => {
    for (const answer of [() => key, async () => key]) {
      expect(await asked(['visitor', 'attraction'], { key: answer })).toEqual([{ subject }])
    }
  })

  it.each([null, new Date(0), new Map([['visitor', 'bob']])])(
    'is never %p: that names nobody',
    async (key) => {
      for (const answer of [() => key, async () => key]) {
        const asking = asked(['visitor', 'attraction'], { key: answer })
        await expect(asking).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'key' })
      }
    },
  )

  it('is the network without a key function', async () => {
    expect(await asked(['visitor'], {})).toEqual([{ subject: '192.0.2.1' }])
  })

  it('is left to a decider that does not tell its policies', async () => {
    const subjects: unknown[] = []
    const check = async (subject: never) => {
      subjects.push(subject)
      return createLimiter({ policy }).check('bob')
    }
    const path = new Map([['user', 'bob']])
    await new Asker<object>({ key: () => path }, { name: 'tree', check }).ask({}, view)
    expect(subjects).toEqual([path])
  })
})

describe('the question', () => {
  it('is asked without a promise where nothing is async', () => {
    const limiter = createLimiter({ policy }) as unknown as AskedDecider // it has what a gate asks
    expect(new Asker<object>({ cost: 2 }, limiter).ask({}, view)).toMatchObject({ allowed: true, cost: 2 })
  })

  it('carries cost and note', async () => {
    const options: AnyOptions<object> = { cost: async () => 2, note: () => 'request 7' }
    expect(await asked(['visitor'], options)).toEqual([{ subject: '192.0.2.1', cost: 2, note: 'request 7' }])
  })

  it('carries the policies chosen for the request, and null where one does not apply', async () => {
    const choice = { visitor: () => policy, attraction: async () => null }
    expect(await asked(['visitor', 'attraction'], { policies: choice })).toEqual([
      { subject: { visitor: '192.0.2.1', attraction: null }, policies: { visitor: policy } },
    ])
  })

  it('is not asked of whom skip lets by', async () => {
    for (const skip of [() => true, async () => true]) expect(await asked(['visitor'], { skip })).toEqual([])
  })
})
