import { describe, expect, it } from '@jest/globals'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  type Policy,
  redisStore,
  reservable,
} from '../../src/index.ts'

const policy = gcra({ count: 5, period: '1m' })
const window = fixedWindow({ limit: 5, window: '1m' })

/** As JavaScript may call it. */
type Verb = (subject: unknown, options: unknown) => Promise<unknown>

function verb(name: string, of: Policy = policy): Verb {
  const limiter = createLimiter({ policy: of })
  const method: unknown = Reflect.get(limiter, name)
  if (typeof method !== 'function') throw new TypeError(`there is no ${name}`)
  return async (subject, options) => method.call(limiter, subject, options)
}

const asked = ['cost', 'policy', 'policies', 'note', 'since', 'take']

describe('null is no option left out', () => {
  it.each([
    ...['check', 'peek', 'reserve', 'wait', 'checkNow'].flatMap((name) =>
      asked.map((option) => [name, option]),
    ),
    ['reserve', 'maxWait'],
    ...['maxWait', 'signal', 'jitter', 'priority'].map((option) => ['wait', option]),
  ])('%s: %s', async (name = '', option = '') => {
    await expect(verb(name)('bob', { [option]: null })).rejects.toMatchObject({
      code: 'SLUICE_OPTION',
      path: option,
      got: 'null',
    })
  })

  it('wait: priority, of a place', async () => {
    const wait = verb('wait', concurrency({ limit: 1 }))
    await expect(wait('bob', { priority: null })).rejects.toMatchObject({ path: 'priority' })
  })

  it.each<[string, (options: object) => unknown]>([
    ['maxSleepers', (options) => createLimiter({ policy, ...options })],
    ['maxDebt', (options) => reservable(window, options)],
    ['refusalCache', (options) => redisStore('redis://127.0.0.1:1', options)],
    ['maxKeys', (options) => memoryStore(options)],
  ])('%s', (option, make) => {
    expect(() => make({ [option]: null })).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: option, got: 'null' }),
    )
  })
})

it.each([5, 0, '', 'upto', false, Number.NaN, {}])('take: %p is no way to take', async (take) => {
  for (const name of ['check', 'peek', 'reserve', 'wait', 'checkNow'])
    await expect(verb(name)('bob', { take })).rejects.toMatchObject({
      code: 'SLUICE_OPTION',
      path: 'take',
      expected: expect.stringContaining('"up-to"'),
    })
})
