import { describe, expect, it } from '@jest/globals'
import { boundOf } from '../../src/crowd/rule-words.ts'
import { crowdTests } from '../../src/crowd/tests.ts'

// Worked out by hand for 300 operations allowed in 10 s, with a burst or a capacity of a tenth.
const bounds: readonly (readonly [string, number | null])[] = [
  ['log', 300],
  ['gang', 300],
  ['pair', 300],
  ['fixedWindow', 300],
  ['slidingWindowCounter', 300],
  ['multiWindow', 300],
  // The bucket at once, and what flows in or out in 10 s.
  ['leakyBucket', 30 + 300],
  ['tokenBucket', 300 + 300],
  // One more than the burst at once.
  ['gcra', 31 + 300],
  ['concurrency', null],
]

describe('the most that the policies of a test allow in 10 s', () => {
  it.each(bounds)('%s', (name, bound) => {
    const test = crowdTests.find((each) => each.name === name)
    expect(test && boundOf(test.rule(300))).toBe(bound)
  })
})
