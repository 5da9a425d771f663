import { expect, it } from '@jest/globals'
import { scaled } from '../../src/compare/scaled.ts'

const gcra = { strategy: 'gcra', count: 10, period: '1m' }

// biome-ignore format: a table
it.each<[object, number, object | undefined]>([
  // policy                    times   what it becomes
  [{ ...gcra, burst: 19 },     0.5,    { ...gcra, count: 5, burst: 9 }],
  [{ ...gcra, burst: 1 },      0.5,    { ...gcra, count: 5, burst: 0 }],
  [{ ...gcra, burst: 0 },      0.5,    undefined],
  [{ ...gcra, burst: 0 },      2,      { ...gcra, count: 20, burst: 1 }],
  [{ ...gcra, count: 1 },      0.5,    undefined],
])('%j times %d is %j: a burst is what comes beside the first unit', (data, times, expected) => {
  expect(scaled({ strategy: 'gcra', ...data }, times)).toEqual(expected)
})
