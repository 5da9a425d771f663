import { describe, expect, it } from '@jest/globals'
import { readLimitsText } from '../src/read.ts'
import { walk } from '../src/tree.ts'

const hostile = [
  '__proto__',
  'constructor',
  'toString',
  'a:b',
  '{a}',
  '}:{',
  'a/b',
  'a%2Fb',
  'a%b',
  '**',
  '<<',
  ' ',
  '\n',
  '\u0000',
  '😀',
  '\uD800',
  '\uDC00',
  'x'.repeat(500_000),
  'x'.repeat(500_001),
  '{['.repeat(10_000),
] as const
const names = hostile.map((name) => [JSON.stringify(name).slice(0, 20), name] as const)

/** Every name but `name` at its place leads elsewhere. */
const others = (name: string) => [...hostile.filter((each) => each !== name), 'valueOf', '']

describe('any text is a name', () => {
  it.each(names)('of a place, and of no other: %s', (_title, name) => {
    const tree = readLimitsText(JSON.stringify({ schema: { [name]: { limits: [1, 2, 3] } } }))
    expect(walk(tree, [name])?.met).toHaveLength(1)
    for (const other of others(name)) expect(walk(tree, [other])).toBeUndefined()
  })

  it('and no two are one level, whether of places or of policies', () => {
    const places = Object.fromEntries(hostile.map((name) => [name, { limits: [1, 2, 3] }]))
    const policies = Object.fromEntries(hostile.map((name) => [name, [1, 2, 3]]))
    const a = { children: { b: { limits: [1, 2, 3] }, ...places } }
    const { levels } = readLimitsText(JSON.stringify({ schema: { ...places, a, c: { limits: policies } } }))
    expect(new Set(levels.map(({ name }) => name)).size).toBe(3 * hostile.length + 1)
  })

  // biome-ignore format: a table
  it.each([
    // name       pattern
    ['a/b',       'user/a%2Fb'],
    ['a%2Fb',     'user/a%252Fb'],
    ['/',         'user/%2F'],
    ['a:b',       'user/a:b'],
    ['{a}',       'user/{a}'],
  ])('and only slashes and percent signs are encoded in a pattern: %s', (name, pattern) => {
    const children = { [name]: { limits: [1, 2, 3] } }
    const [level] = readLimitsText(JSON.stringify({ schema: { user: { children } } })).levels
    expect(level?.name).toBe(pattern)
  })

  it.each(['7', '7.0', '0x10', 'true', 'null', '~', '2026-11-21', "it's", '"quoted"', "'quoted'"])(
    'and stands for itself, also where YAML reads another type: %s',
    (written) => {
      const name = written.replace(/^(["'])(.*)\1$/, '$2')
      const tree = readLimitsText(`schema:\n  ${written}: { limits: [1, 2, 3] }\n`)
      expect(walk(tree, [name])?.pattern).toBe(name)
    },
  )
})
