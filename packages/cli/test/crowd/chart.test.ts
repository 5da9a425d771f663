import { expect, it } from '@jest/globals'
import { chartOf, scaleOf } from '../../src/crowd/chart.ts'
import type { TestResult } from '../../src/crowd/test-result.ts'

function result(...values: readonly number[]): TestResult {
  const figures = { offered: 0, admitted: 0, refused: 0, failed: 0, reasons: {}, unsent: 0 }
  const most = { peakPerSecond: 0, mostInWindow: 0, clients: 0, fairness: null }
  return {
    ...figures,
    ...most,
    name: 'log',
    about: '',
    rule: '',
    bound: 100,
    inWindow: { stepMs: 100, values },
  }
}

function lines(...values: readonly number[]): readonly string[] {
  const drawn = result(...values)
  return chartOf(drawn, scaleOf([drawn], 100), null).split('\n')
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
    '    0 s',
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
    '    0 s',
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
  expect(drawn).toHaveLength(rows + 2)
  expect(drawn.at(-2 - limitRow)).toMatch(/^100 /)
})

it('draws all on one scale', () => {
  const low = result(50)
  const scale = scaleOf([low, result(1200)], 100)
  expect(chartOf(low, scale, null)).toBe('100 ┤▄\n  0 ┼─\n    0 s')
})

/** 72 points over 22 seconds, as of a usual test. */
const usual = { ...result(), inWindow: { stepMs: 22_000 / 72, values: new Array(72).fill(50) } }

// biome-ignore format: the lines of a picture
it('has its times below', () => {
  expect(chartOf(usual, scaleOf([usual], 100), null).split('\n').slice(-2)).toEqual([
    '  0 ┼───────────────┴────────────────┴───────────────┴───────────────┴───────',
    '    0 s             5 s              10 s            15 s            20 s',
  ])
})

it.each([20, 40, 60, 80])('fits %d columns', (width) => {
  const drawn = chartOf(usual, scaleOf([usual], 100), width).split('\n')
  expect(Math.max(...drawn.map((line) => line.length))).toBeLessThanOrEqual(width)
  expect(drawn.at(-1)).toMatch(/ 0 s +\d+ s/)
})

it('joins points to their highest where there is no room for all', () => {
  const drawn = result(0, 100, 0, 0, 50, 0)
  expect(chartOf(drawn, scaleOf([drawn], 100), 8).split('\n')).toEqual([
    '100 ┤█▔▔',
    '    ┤█',
    '    ┤█ ▄',
    '    ┤█ █',
    '    ┤█ █',
    '  0 ┼───',
    '    0 s',
  ])
})
