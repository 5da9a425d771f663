import { expect, it } from '@jest/globals'
import { chartOf, scaleOf } from '../../src/crowd/chart.ts'
import type { TestResult } from '../../src/crowd/test-result.ts'

function result(...values: readonly number[]): TestResult {
  const figures = { offered: 0, admitted: 0, refused: 0, failed: 0, reasons: {}, unsent: 0 }
  const most = { peakPerSecond: 0, mostInWindow: 0, clients: 0, fairness: null }
  return { ...figures, ...most, name: 'log', title: '', rule: '', inWindow: { stepMs: 100, values } }
}

function lines(...values: readonly number[]): readonly string[] {
  const drawn = result(...values)
  return chartOf(drawn, scaleOf([drawn], 100)).split('\n')
}

// biome-ignore format: the lines of a picture
it('draws bars up to the line, and the line where there is no bar', () => {
  expect(lines(0, 2.5, 20, 50, 100, 100)).toEqual([
    '100 ┤▔▔▔▔██',
    '    ┤    ██',
    '    ┤   ▄██',
    '    ┤   ███',
    '    ┤ ▁████',
    '  0 ┼──────',
  ])
})

// biome-ignore format: the lines of a picture
it('draws what stands above the line', () => {
  expect(lines(100, 140, 130)).toEqual([
    '    ┤ █▄',
    '    ┤ ██',
    '100 ┤███',
    '    ┤███',
    '    ┤███',
    '    ┤███',
    '    ┤███',
    '  0 ┼───',
  ])
})

// biome-ignore format: a table
it.each([
  // highest   rows   row of the line, from below
  [0,             5,  5],
  [100,           5,  5],
  [240,          12,  5],
  [241,          10,  4],
  [1200,         12,  1],
  [12_000,       12,  1],
])('takes no more than twelve rows for a highest of %d', (highest, rows, limitRow) => {
  const drawn = lines(highest)
  expect(drawn).toHaveLength(rows + 1)
  expect(drawn.at(-1 - limitRow)).toMatch(/^100 /)
})

it('draws all on one scale', () => {
  const low = result(50)
  const scale = scaleOf([low, result(1200)], 100)
  expect(chartOf(low, scale)).toBe('100 ┤▄\n  0 ┼─')
})
