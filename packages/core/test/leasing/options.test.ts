import { expect, it } from '@jest/globals'
import {
  createLimiter,
  fixedWindow,
  gcra,
  type Policy,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '@sluice/core'

const rate = gcra({ count: 100, period: '1s' })

it.each<[policy: Policy, lease: string, expected: string]>([
  [
    rate,
    '20ms',
    'lease: expected to be left out, as nothing is taken ahead from the store memory, got "20ms"',
  ],
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
  [
    tokenBucket({ capacity: 5, count: 1, period: '1s' }),
    '20ms',
    'lease: expected to be left out, as units of tokenBucket',
  ],
  [
    fixedWindow({ limit: 5, window: '1s', blockFor: '1m' }),
    '20ms',
    'lease: expected to be left out, as policy "default" has blockFor',
  ],
])('%j with a lease of %s is refused', (policy, lease, expected) => {
  const open = () => createLimiter({ policy, lease: lease as '20ms' })
  expect(open).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path: 'lease' }))
  expect(open).toThrow(expected)
})
