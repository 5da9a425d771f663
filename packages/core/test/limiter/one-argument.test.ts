import { expect, test } from '@jest/globals'
import { createLimiter, fixedWindow, gcra, memoryStore, uniform } from '../../src/index.ts'

const policy = gcra({ count: 5, period: '1m' })
const store =
  'arguments[1]: expected nothing, as the store is an option: { …, store }, got an object (MemoryStore)'
const options = 'arguments[1]: expected nothing, as all options are in the first, got an object'

/** As JavaScript calls it. */
type Called = (...given: readonly unknown[]) => unknown

// biome-ignore format: a table
test.each<[string, unknown, readonly unknown[], string]>([
  ['a store beside the options of a limiter',   createLimiter, [{ policy }, memoryStore()],                     store],
  ['options beside those of a limiter',         createLimiter, [{ policy }, { name: 'login' }],                 options],
  ['options beside those of a store',           memoryStore,   [{ maxKeys: 5 }, { clock: {} }],                 options],
  ['a function beside the options of a store',  memoryStore,   [{ maxKeys: 5 }, () => {}],                      'arguments[1]: expected nothing'],
  ['options beside those of a policy',          fixedWindow,   [{ limit: 5, window: '1m' }, { blockFor: '1m' }], options],
])('%s have no effect, and are refused', (_title, make, given, message) => {
  expect(() => (make as Called)(...given)).toThrow(message)
})

test('what map adds to each call is no option', () => {
  const policies = [{ interval: 1000 }, { interval: 2000 }].map(uniform)
  const limiters = policies.map((each, i) => ({ policy: each, name: `${i}` })).map(createLimiter)
  expect(limiters.map(({ name }) => name)).toEqual(['0', '1'])
})
