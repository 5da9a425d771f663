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

it.each<[policy: Policy, ahead: string, expected: string]>([
  [
    rate,
    '0.5ms',
    'ahead: expected a positive duration such as "10s" (ms, s, m, h, d) or 10000, of whole microseconds, from 1 ms',
  ],
  [rate, '101ms', 'ahead: expected at most a tenth of the window of policy "default", got "101ms"'],
  [slidingWindowLog({ limit: 5, window: '1s' }), '101ms', 'ahead: expected at most a tenth of the window'],
  [
    uniform({ interval: '1s' }),
    '20ms',
    'ahead: expected to be left out, as units of uniform (policy "default") cannot',
  ],
  [concurrency({ limit: 5 }), '20ms', 'ahead: expected to be left out, as units of concurrency'],
  [
    tokenBucket({ capacity: 5, count: 1, period: '1s' }),
    '501ms',
    'ahead: expected at most a tenth of the window',
  ],
  [
    leakyBucket({ capacity: 1, count: 1, period: '1s' }),
    '20ms',
    'ahead: expected at most a tenth of the window',
  ],
  [
    fixedWindow({ limit: 5, window: '1s', blockFor: '1m' }),
    '20ms',
    'ahead: expected to be left out, as policy "default" has blockFor',
  ],
])('units of %j that are taken ahead for %s are refused', (policy, ahead, expected) => {
  const open = () => createLimiter({ policy, store: guardedStore(memoryStore()), ahead: ahead as '20ms' })
  expect(open).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path: 'ahead' }))
  expect(open).toThrow(expected)
})

it('units ahead of a store in memory are refused', () => {
  expect(() => createLimiter({ policy: rate, ahead: '20ms' })).toThrow(
    'ahead: expected to be left out, as nothing is taken ahead from the store memory, got "20ms"',
  )
})

it('units ahead with a charge level by level are refused', () => {
  const store = guardedStore(memoryStore())
  expect(() => createLimiter({ policy: rate, store, ahead: '20ms', charge: 'every-level' })).toThrow(
    expect.objectContaining({ path: 'ahead', message: expect.stringContaining('charge is "every-level"') }),
  )
})

it('the name that the option had says the new one', () => {
  const old: object = { policy: rate, store: guardedStore(memoryStore()), lease: '20ms' }
  expect(() => createLimiter(old as { policy: Policy })).toThrow(
    expect.objectContaining({
      path: 'lease',
      message: 'lease: expected a known option; write ahead: \'20ms\', got "lease" (string)',
    }),
  )
})
