import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Sums } from '../src/sums.ts'

const kept = 20
const start = 1_700_000_000

interface Step {
  readonly forward: boolean
  /** Units of as many seconds; of a step forward the first `again` correct what was there. */
  readonly units: readonly number[]
  readonly again: number
}

const step: fc.Arbitrary<Step> = fc.record({
  forward: fc.boolean(),
  units: fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -2, max: 50 })), { minLength: 1, maxLength: 8 }),
  again: fc.nat(3),
})

test('what lies between two seconds is the sum of what was added for them, as far back as is kept', () => {
  const property = fc.property(fc.array(step, { minLength: 1, maxLength: 15 }), (steps) => {
    const sums = new Sums(kept)
    const added = new Map<number, number>()
    let first = start
    let last = start - 1
    for (const { forward, units, again } of steps) {
      if (forward || last < first) {
        const from = Math.max(first, last + 1 - again)
        const all = [...units, ...Array.from({ length: again }, () => 1)]
        for (const [i, each] of all.entries()) {
          added.set(from + i, each)
          sums.append(from + i, each)
        }
        last = Math.max(last, from + all.length - 1)
      } else {
        for (const each of units) {
          first--
          added.set(first, each)
          sums.prepend(first, each)
        }
      }
      for (let seconds = 1; seconds <= kept; seconds++) {
        let sum = 0
        for (let second = last - seconds + 1; second <= last; second++) sum += added.get(second) ?? 0
        expect([seconds, sums.in(last, seconds)]).toEqual([seconds, sum])
      }
      for (const seconds of [1, 3, 8]) {
        const ends = Array.from({ length: kept - seconds + 1 }, (_, i) => last - i)
        const runs = ends.map((end) => sums.in(end, seconds))
        expect([seconds, sums.most(last - kept + seconds, last, seconds)]).toEqual([
          seconds,
          Math.max(0, ...runs),
        ])
      }
    }
  })
  fc.assert(property, { numRuns: 300 })
})
