import { describe, expect, it } from '@jest/globals'
import { parse } from 'yaml'
import { readLimitsData, readLimitsText } from '../src/read.ts'
import type { Tree } from '../src/tree.ts'
import { bad, good, original, readable } from './examples.ts'
import { errorOf, saidOf } from './problems.ts'

function levelsOf({ levels }: Tree): unknown {
  return levels.map(({ name, policy }) => [name, policy.strategy, policy.limit])
}

describe('a file that is right', () => {
  it.each(good)('is read: $title', ({ text, levels }) => {
    expect(levelsOf(readLimitsText(text))).toEqual(levels)
  })

  it.each(good)('is read as data too: $title', ({ text, levels }) => {
    expect(levelsOf(readLimitsData(parse(text)))).toEqual(levels)
  })

  it('says who is charged', () => {
    expect(readLimitsText(original).charge).toBeUndefined()
    expect(readLimitsText(readable).charge).toBe('every-level')
  })

  it('says of each policy how it fails and whether it refuses', () => {
    const [perMinute, , login] = readLimitsText(readable).levels
    expect(perMinute).toMatchObject({ depth: 2, shadow: undefined, onStoreFailure: undefined })
    expect(login).toMatchObject({ depth: 2, shadow: true, onStoreFailure: 'deny' })
  })
})

describe('a file that is wrong', () => {
  it.each(bad)(
    'is reported with line, column, path, what was expected and what came: $title',
    ({ text, problems }) => {
      expect(saidOf(text, 'limits.yaml')).toEqual(problems.map((problem) => `limits.yaml:${problem}`))
    },
  )

  it('has its problems as data, and as a message of a line each', () => {
    const error = errorOf(() =>
      readLimitsText('schema:\n  a: { limits: [1] }\n  b: { limits: [2] }\n', 'my.yaml'),
    )
    const same = { file: 'my.yaml', column: 16, expected: 'three numbers: burst, count, period in seconds' }
    expect(error?.problems).toEqual([
      { ...same, line: 2, path: 'schema.a.limits', got: 'a list of 1' },
      { ...same, line: 3, path: 'schema.b.limits', got: 'a list of 1' },
    ])
    expect(error?.message.split('\n')).toEqual(
      saidOf('schema:\n  a: { limits: [1] }\n  b: { limits: [2] }\n', 'my.yaml'),
    )
  })

  it('has a message of some lines, however many problems', () => {
    const names = Array.from({ length: 50 }, (_, i) => `  n${i}: { limits: [] }\n`)
    const error = errorOf(() => readLimitsText(`schema:\n${names.join('')}`))
    expect(error?.problems).toHaveLength(50)
    expect(error?.message.split('\n')).toHaveLength(21)
    expect(error?.message).toMatch(/^limits:2:17: schema\.n0\..*\nand 30 more$/s)
  })
})

describe('data that is wrong', () => {
  const loop: { children: { [name: string]: unknown } } = { children: {} }
  loop.children.again = loop

  // biome-ignore format: a table
  it.each<[unknown, string]>([
    // data                                                     what is said
    [undefined,                                                 'limits: expected a mapping with `schema`, the tree of limits, got nothing'],
    ['schema',                                                  'limits: expected a mapping with `schema`, the tree of limits, got "schema" (string)'],
    [() => ({}),                                                'limits: expected a mapping with `schema`, the tree of limits, got a function'],
    [{ schema: { user: { limits: [1n, 2, 3] } } },              'limits: schema.user.limits[0]: expected a whole number of at least 0, got 1 (bigint)'],
    [{ schema: { user: { limits: { strategy: 'gcra', count: 5, period: 60_000 } } } }, 'limits: schema.user.limits.period: expected a duration with a unit such as "10s", got 60000 (number)'],
    [{ schema: { user: loop } },                                'limits: schema.user.children.again: expected a tree that ends, got an alias of what it is part of'],
  ])('has no lines: %p', (data, said) => {
    const error = errorOf(() => readLimitsData(data))
    expect(error?.message).toBe(said)
    expect(error?.problems).toMatchObject([{ file: undefined, line: 0, column: 0 }])
  })

  it('may leave options undefined, and be made of maps', () => {
    const children = new Map([['*', { limits: [1, 2, 3], children: undefined }]])
    expect(levelsOf(readLimitsData({ charge: undefined, schema: { user: { children } } }))).toEqual([
      ['user/*', 'gcra', 2],
    ])
  })
})
