import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { Copy } from './new-strategy/copy.ts'
import { program } from './new-strategy/program.ts'

let copy: Copy

/** A sliding counter under another name, whose options no other strategy has, in the five places and nowhere else. */
beforeAll(async () => {
  copy = new Copy()
  copy.derive('lua/strategies/hitWindow.lua', 'lua/strategies/slidingWindowCounter.lua', [])
  const source = 'packages/core/src/strategies/slidingWindowCounter.ts'
  copy.derive('packages/core/src/strategies/hitWindow.ts', source, [
    ['slidingWindowCounter', 'hitWindow'],
    ['SlidingWindowCounter', 'HitWindow'],
    ["code: 'wc'", "code: 'hw'"],
    ['  limit: number\n', '  hits: number\n'],
    ['  window: Duration\n', '  every: Duration\n'],
    [
      '    limit,\n    window: period,',
      "    hits: limit,\n    start: { kind: 'choice', choices: ['first-hit', 'clock'], default: 'first-hit' },\n    every: period,",
    ],
    [
      '  ahead: {',
      '  windowUsOf: ({ windowUs }) => windowUs,\n  numbers: ({ hits, everyUs }) => ({ limit: hits, windowUs: everyUs }),\n  ahead: {',
    ],
    ['@example hitWindow({ limit: 10_000, window: ', '@example hitWindow({ hits: 10_000, every: '],
  ])
  const optionNames = [[/"limit": (\d+), "window"/g, '"hits": $1, "every"']] as const
  copy.derive(
    'packages/conformance/vectors/hitWindow.json',
    'packages/conformance/vectors/slidingWindowCounter.json',
    optionNames,
  )
  copy.derive('docs/strategies/hitWindow.md', 'docs/strategies/slidingWindowCounter.md', [
    ['slidingWindowCounter', 'hitWindow'],
    [/limit: (\d+), window: /g, 'hits: $1, every: '],
  ])
  copy.derive('packages/core/src/strategies/list.ts', 'packages/core/src/strategies/list.ts', [
    [
      'export { type LeakyBucket',
      "export { type HitWindowOptions, hitWindow } from './hitWindow.ts'\nexport { type LeakyBucket",
    ],
  ])
  const words = 'packages/core/src/strategies/words/words.ts'
  copy.derive(words, words, [
    [
      'import type { Numbers as MultiNumbers }',
      "import type { Numbers as HitNumbers } from '../hitWindow.ts'\nimport type { Numbers as MultiNumbers }",
    ],
    ['  readonly leakyBucket:', '  readonly hitWindow: HitNumbers\n  readonly leakyBucket:'],
    [
      '  leakyBucket: {',
      `  hitWindow: {
    about: 'Roughly this many hits in any window.',
    options: { hits: ofWindow.limit ?? '', start: 'No meaning.', every: ofWindow.window ?? '' },
    picture: ({ limit, windowUs }) => windowPicture({ title: 'hit window', shape: 'sliding', limit, windowUs }),
  },
  leakyBucket: {`,
    ],
  ])
  expect(await copy.node('scripts/build-lua.mjs')).toMatchObject({ code: 0 })
})
afterAll(() => copy.remove())

describe('a strategy that is added in five places', () => {
  it('decides alike in memory and in Redis, and is in the JSON Schema and on its page with its options', async () => {
    const { code, stderr } = await copy.jest(
      // Its vectors, and random histories.
      'packages/core/test/store/(memory|same-rows)',
      'packages/core/test/strategies/complete',
      // What writes these, and compares them.
      'packages/limits/test/schema',
      'packages/conformance/test/docs/options',
      '--selectProjects',
      'unit',
      'redis',
      'docs',
      '--maxWorkers=1',
      '--testNamePattern=hitWindow|every strategy (has|what)',
    )
    expect(code === 0 ? '' : stderr).toBe('')
    expect(stderr).toMatch(/Test Suites: .*7 passed/)
    expect(copy.read('packages/limits/limits.schema.json')).toContain('"every": {')
    expect(copy.read('docs/strategies/hitWindow.md')).toContain('| `every` | a duration | required |')
  }, 300_000)

  it('is known to limits files, the command line and the bench', async () => {
    copy.write('packages/bench/src/new-strategy.ts', program)
    const flags = ['--conditions=sluice-source', '--import', 'tsx']
    const { stdout, stderr } = await copy.node(...flags, 'packages/bench/src/new-strategy.ts')
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({
      yaml: ['5 per 1h'],
      withoutUnit: expect.stringContaining(
        'limits.every: expected a duration with a unit such as "10s", got 10 (number)',
      ),
      misspelt: expect.stringContaining('limits.hit: expected a known field (did you mean "hits"?)'),
      data: { strategy: 'hitWindow', hits: 10, every: '1m', start: 'clock' },
      half: 'hitWindow:5/1m,start=clock',
      sought: { strategy: 'hitWindow', hits: 7, every: '1m', start: 'clock' },
      crowd: { everybody: { strategy: 'hitWindow', hits: 30, every: 10_000, key: 'everybody' } },
      stored: expect.any(Number),
    })
  })
})
