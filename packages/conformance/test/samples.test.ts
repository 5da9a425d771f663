import { expect, it } from '@jest/globals'
import { allSamples } from '../src/store/samples/list.ts'

it('the strategies that come with Sluice have samples and an oracle written by hand', () => {
  const withOracle = allSamples.filter(({ withoutOracle }) => withoutOracle !== true)
  expect(withOracle.map(({ strategy }) => strategy)).toEqual(
    expect.arrayContaining([
      'attributedWindow',
      'concurrency',
      'fixedWindow',
      'gcra',
      'leakyBucket',
      'multiWindow',
      'slidingWindowCounter',
      'slidingWindowLog',
      'tokenBucket',
      'uniform',
    ]),
  )
})
