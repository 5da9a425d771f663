import { expect, it } from '@jest/globals'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  guardedStore,
  leakyBucket,
  memoryStore,
  type Policy,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '@sluice/core'

const rate = gcra({ count: 100, period: '1s' })

it.each<[policy: Policy, lease: string, expected: string]>([
  [
    rate,
    '0.5ms',
    'lease: expected a positive duration such as "10s" or 10000, of whole microseconds, from 1 ms',
  ],
  [rate, '101ms', 'lease: expected at most a tenth of the window of policy "default", got "101ms"'],
  [slidingWindowLog({ limit: 5, window: '1s' }), '101ms', 'lease: expected at most a tenth of the window'],
  [
    uniform({ interval: '1s' }),
    '20ms',
    'lease: expected to be left out, as units of uniform (policy "default") cannot',
  ],
  [concurrency({ limit: 5 }), '20ms', 'lease: expected to be left out, as units of concurrency'],
  [
    tokenBucket({ capacity: 5, count: 1, period: '1s' }),
    '501ms',
    'lease: expected at most a tenth of the window',
  ],
  [
    leakyBucket({ capacity: 1, count: 1, period: '1s' }),
    '20ms',
    'lease: expected at most a tenth of the window',
  ],
  [
    fixedWindow({ limit: 5, window: '1s', blockFor: '1m' }),
    '20ms',
    'lease: expected to be left out, as policy "default" has blockFor',
  ],
])('%j with a lease of %s is refused', (policy, lease, expected) => {
  const open = () => createLimiter({ policy, store: guardedStore(memoryStore()), lease: lease as '20ms' })
  expect(open).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path: 'lease' }))
  expect(open).toThrow(expected)
})

it('a lease on a store in memory is refused', () => {
  expect(() => createLimiter({ policy: rate, lease: '20ms' })).toThrow(
    'lease: expected to be left out, as nothing is taken ahead from the store memory, got "20ms"',
  )
})

it('a lease with a charge level by level is refused', () => {
  expect(() => createLimiter({ policy: rate, lease: '20ms', charge: 'every-level' })).toThrow(
    expect.objectContaining({ path: 'lease', message: expect.stringContaining('charge is "every-level"') }),
  )
})
