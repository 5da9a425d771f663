import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { greater, sum, Timeline } from '../../../src/compare/replay/timeline.ts'

const dayUs = 86_400e6

describe('a timeline', () => {
  // biome-ignore format: a table
  it.each([
    // span                steps at most   length of a step in s
    [0,                    600,            1],
    [599e6,                600,            1],
    [600e6,                600,            2],
    [3600e6,               600,            10],
    [dayUs,                600,            300],
    [7 * dayUs,            600,            1800],
    [365 * dayUs,          600,            86_400],
    [3650 * dayUs,         600,            86_400 * 8],
    [60e6,                 10,             10],
  ])('of %i µs in %i steps has steps of %i s', (spanUs, most, expected) => {
    const timeline = new Timeline(most)
    const column = timeline.column(sum)
    for (const atUs of [0, spanUs]) {
      const place = timeline.placeOf(1e12 + atUs)
      column[place] = (column[place] ?? 0) + 1
    }
    expect(timeline.stepUs).toBe(expected * 1e6)
    expect(column.length).toBeLessThanOrEqual(most)
    expect(column.reduce(sum, 0)).toBe(2)
  })

  it('holds what one with its last steps from the beginning would', () => {
    const times = fc
      .array(fc.nat(400_000_000), { minLength: 1, maxLength: 80 })
      .map((gaps) => gaps.map((gap, i) => gaps.slice(0, i).reduce(sum, gap)))
    fc.assert(
      fc.property(times, fc.nat(1e9), (since, fromUs) => {
        const timeline = new Timeline(20)
        const sums = timeline.column(sum)
        const most = timeline.column(greater)
        const all = [...since]
          .sort((a, b) => a - b)
          .map((us, i) => ({ atUs: fromUs + us, value: (i * 7) % 11 }))
        for (const { atUs, value } of all) {
          const place = timeline.placeOf(atUs)
          sums[place] = (sums[place] ?? 0) + 1
          most[place] = Math.max(most[place] ?? 0, value)
        }
        const { stepUs, fromUs: startUs } = timeline
        expect(startUs % stepUs).toBe(0)
        expect(sums.length).toBeLessThanOrEqual(20)
        const inStep = (step: number) =>
          all.filter(({ atUs }) => Math.floor((atUs - startUs) / stepUs) === step)
        expect(sums).toEqual(sums.map((_, step) => inStep(step).length))
        expect(most).toEqual(most.map((_, step) => Math.max(0, ...inStep(step).map(({ value }) => value))))
        expect(sums.reduce(sum, 0)).toBe(all.length)
      }),
      { numRuns: 500 },
    )
  })
})
