import { expect, it, jest, test } from '@jest/globals'
import {
  concurrency,
  createLimiter,
  defineStrategy,
  fixedWindow,
  gcra,
  guardedStore,
  type Limiter,
  type Logger,
  memoryStore,
  multiWindow,
  type Policies,
  type Policy,
  tokenBucket,
  uniform,
} from '../../src/index.ts'

const short = (what: string, ms: number) =>
  `SLUICE_SHORT_TIME: ${what} of limiter "default" is ${ms} ms: for seconds write '${ms}s'`
const warning = (name: string, ms: number) => short(`the window of policy "${name}"`, ms)

const counted = defineStrategy({
  name: 'counted',
  can: [],
  parse: ({ limits }: { limits: number }) => ({ limit: limits }),
  look: ({ limit }) => ({ allowed: true, limit, remaining: limit, retryAfterUs: 0, resetAfterUs: 0 }),
  take: () => ({}),
  idleUs: () => 0,
})

// biome-ignore format: a table
test.each<[string, Policies, readonly string[]]>([
  ['60 for a minute',            { all: fixedWindow({ limit: 100, window: 60 }) },                     [warning('all', 60)]],
  ['60 for a minute of gcra',    { all: gcra({ count: 100, period: 60 }) },                            [warning('all', 60)]],
  ['900 for a quarter of an hour', { all: tokenBucket({ capacity: 5, count: 5, period: 900 }) },       [warning('all', 900)]],
  ['60 beside a minute',         { one: gcra({ count: 5, period: '1m' }), two: gcra({ count: 9, period: 60 }) }, [warning('two', 60)]],
  ['60 for the longest of several', { all: multiWindow({ limits: [{ limit: 5, window: 1 }, { limit: 50, window: 60 }] }) }, [warning('all', 60)]],
  ['500 for the shorter of two, named last', { all: multiWindow({ limits: [{ limit: 50, window: 5000 }, { limit: 5, window: 500 }] }) }, []],
  ['a strategy of its own with a number of limits', { all: counted({ limits: 5 }) },                   []],
  ['a minute and a block of 60', { all: fixedWindow({ limit: 5, window: '1m', blockFor: 60 }) },       [short('blockFor of policy "all"', 60)]],
  ['a minute and first blocks of 60', { all: fixedWindow({ limit: 5, window: '1m', blockFor: { first: 60, factor: 2 } }) }, [short('blockFor of policy "all"', 60)]],
  ['a minute and a block of 60 milliseconds', { all: fixedWindow({ limit: 5, window: '1m', blockFor: '60ms' }) }, []],
  ['a minute and a block of one', { all: fixedWindow({ limit: 5, window: '1m', blockFor: 60_000 }) },  []],
  ['60 milliseconds',            { all: fixedWindow({ limit: 100, window: '60ms' }) },                 []],
  ['a second',                   { all: fixedWindow({ limit: 100, window: 1000 }) },                   []],
  ['a pause',                    { all: uniform({ interval: 60 }) },                                   []],
  ['one in 60 milliseconds',     { all: fixedWindow({ limit: 1, window: 60 }) },                       []],
  ['places whose lease is 300',  { all: concurrency({ limit: 5, lease: 300 }) },                       [short('lease of policy "all"', 300)]],
  ['places whose lease is 300 milliseconds', { all: concurrency({ limit: 5, lease: '300ms' }) },       []],
  ['no window',                  { all: concurrency({ limit: 5 }) },                                   []],
])('a limiter with a window of %s', (_title, policies, warned) => {
  const { said, logger } = listening()
  createLimiter({ policies, logger })
  expect(said).toEqual(warned)
})

// biome-ignore format: a table
test.each<[string, (limiter: Limiter<{ default: Policy<'penalize'> }>) => Promise<void>, readonly string[]]>([
  ['60 for a block of a minute',    (limiter) => limiter.block('bob', 60),                   [short('the time of a block', 60)]],
  ['a block of 60 milliseconds',    (limiter) => limiter.block('bob', '60ms'),               []],
  ['a block of a minute',           (limiter) => limiter.block('bob', 60_000),               []],
  ['a penalty of 5 milliseconds, as another service asks for', (limiter) => limiter.penalize('bob', { wait: 5 }), []],
  ['a penalty of 5 units',          (limiter) => limiter.penalize('bob', 5),                 []],
])('%s', async (_title, act, warned) => {
  const { said, logger } = listening()
  const limiter = createLimiter({ policy: gcra({ count: 5, period: '1m' }), logger })
  await act(limiter)
  await act(limiter)
  expect(said).toEqual(warned)
})

// biome-ignore format: a table
test.each<[string, Policy, readonly string[]]>([
  ['60 for a minute',            fixedWindow({ limit: 100, window: 60 }),                       [warning('default', 60)]],
  ['a minute and a block of 60', fixedWindow({ limit: 5, window: '1m', blockFor: 60 }),         [short('blockFor of policy "default"', 60)]],
  ['60 milliseconds',            fixedWindow({ limit: 100, window: '60ms' }),                   []],
])('a policy chosen for a call with a window of %s', async (_title, policy, warned) => {
  const { said, logger } = listening()
  const limiter = createLimiter({ policy: fixedWindow({ limit: 100, window: '1m' }), logger })
  await limiter.check('bob', { policy })
  await limiter.check('bob', { policies: { default: policy } })
  expect(said).toEqual(warned)
})

it.each([
  [5, [expect.stringContaining("SLUICE_SHORT_TIME: connectDeadline is 5 ms: for seconds write '5s'")]],
  ['5ms', []],
  [500, []],
] as const)('a store that may take %p to connect', (connectDeadline, warned) => {
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => {})
  guardedStore(memoryStore(), { connectDeadline })
  const lines = warn.mock.calls.flat()
  warn.mockRestore()
  expect(lines).toEqual(warned)
})

function listening(): { said: string[]; logger: Logger } {
  const said: string[] = []
  const log = (text: string) => {
    said.push(text.replace(/^\[sluice\] /, '').replace(/ \(http.*/, ''))
  }
  return { said, logger: { warn: log, error: log } }
}
