import { describe, expect, it } from '@jest/globals'
import { readLimitsText } from '@sluice/limits'
import type { Result } from '../../src/compare/comparison.ts'
import { limitsContender } from '../../src/compare/limits-candidate.ts'
import { replay } from '../../src/compare/replay/replay.ts'

const beganUs = 1_700_000_000_000_000

async function resultOf(limits: string, seconds: readonly number[], path: string): Promise<Result> {
  const text = `schema: { user: { children: { "*": { limits: ${limits}, children: { admin: { limits: deny } } } } } }`
  const contender = limitsContender({ file: 'limits.yaml', text, tree: readLimitsText(text) }, 'user/{user}')
  async function* requests() {
    yield seconds.map((second) => ({
      atUs: beganUs + second * 1e6,
      client: 'c',
      key: 'c',
      cost: 1,
      path: path.split('/'),
    }))
  }
  const { results } = await replay(requests(), [contender])
  if (results[0] === undefined) throw new Error('no result')
  return results[0]
}

const everySecond = Array.from({ length: 12 }, (_, i) => i)
const fixed = '{ strategy: fixedWindow, limit: 1, window: 2s }'

describe('a file of limits', () => {
  // biome-ignore format: a table
  it.each([
    // what                   limits                                        path                 admitted  with times twice  half as long
    ['a window',              fixed,                                        'user/ann',          6,        3,                12],
    ['a rate',                '{ strategy: gcra, count: 1, period: 3s }',   'user/ann',          4,        2,                6],
    ['nothing that is met',   fixed,                                        'team/blue',         12,       12,               12],
    ['a place that denies',   fixed,                                        'user/ann/admin',    0,        0,                0],
    ['what is under way',     '{ strategy: concurrency, limit: 1 }',        'user/ann',          12,       12,               12],
    ['a shadow',              '{ strategy: fixedWindow, limit: 1, window: 2s, shadow: true }', 'user/ann', 12, 12,            12],
  ])('with %s', async (_what, limits, path, admitted, twice, half) => {
    const { tighter, looser, ...main } = await resultOf(limits, everySecond, path)
    expect([main.admitted, tighter?.admitted, looser?.admitted]).toEqual([admitted, twice, half])
    expect(main.refused).toBe(12 - admitted)
  })

  it.each([
    ['user/ann', [{ level: 'user/*', refused: 6 }]],
    ['user/ann/admin', [{ level: 'user/*/admin', refused: 12 }]],
  ])('names the limits that refuse %s', async (path, expected) => {
    expect((await resultOf(fixed, everySecond, path)).refusedBy).toEqual(expected)
  })
})
