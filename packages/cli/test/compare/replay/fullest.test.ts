import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { Fullest } from '../../../src/compare/replay/fullest.ts'

interface Add {
  readonly atUs: number
  readonly units: number
  readonly key: number
}

/** Gaps, so that times never fall. */
const adds = fc
  .array(fc.tuple(fc.nat(12), fc.integer({ min: 1, max: 5 }), fc.nat(3)), { maxLength: 200 })
  .map((steps) => {
    let atUs = 1000
    return steps.map(([gap, units, key]): Add => {
      atUs += gap
      return { atUs, units, key }
    })
  })

/** Recounts every span that ends with an add. */
function sumsOf(all: readonly Add[], spanUs: number): readonly number[] {
  return all.map(({ atUs, key }, i) =>
    all
      .slice(0, i + 1)
      .filter((earlier) => earlier.key === key && earlier.atUs > atUs - spanUs)
      .reduce((sum, { units }) => sum + units, 0),
  )
}

describe('the fullest span', () => {
  it('is the one that a recount finds', () => {
    fc.assert(
      fc.property(adds, fc.integer({ min: 1, max: 60 }), (all, spanUs) => {
        const fullest = new Fullest(spanUs)
        const sums = all.map(({ atUs, units, key }) => fullest.add(atUs, units, key))
        const expected = sumsOf(all, spanUs)
        expect(sums).toEqual(expected)
        const most = Math.max(0, ...expected)
        const first = all[expected.indexOf(most)]
        expect(fullest.found).toEqual({ sum: most, key: first?.key ?? 0, atUs: first?.atUs ?? 0 })
        expect(fullest.forgot).toBe(false)
      }),
      { numRuns: 1000 },
    )
  })

  // biome-ignore format: a table
  it.each([
    // second add at   sum then
    [10,               1],
    [9,                2],
  ])('leaves out what is as old as the span: %i', (atUs, expected) => {
    const fullest = new Fullest(10)
    fullest.add(0, 1)
    expect(fullest.add(atUs, 1)).toBe(expected)
  })

  it('says where it had no room for all', () => {
    const fullest = new Fullest(1000, 3)
    const sums = [1, 2, 3, 4].map((atUs) => fullest.add(atUs, 1))
    expect([sums, fullest.forgot]).toEqual([[1, 2, 3, 3], true])
  })
})
