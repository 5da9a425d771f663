import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { type Document, isAlias, isCollection, isPair, isScalar } from 'yaml'
import { parseYaml } from '../src/parse.ts'
import { parsePlain } from '../src/parse-plain.ts'
import { damaged, ordinary, pieces } from './any-texts.ts'
import { good, original, readable } from './examples.ts'

/** What limits are read from. */
function factsOf(node: unknown): unknown {
  if (isPair(node)) return [factsOf(node.key), factsOf(node.value)]
  if (isScalar(node)) return [node.type, node.value, node.source, node.range?.[0], node.anchor]
  if (isCollection(node))
    return [node.constructor.name, node.range?.[0], node.anchor, node.items.map(factsOf)]
  return isAlias(node) ? ['alias', node.source] : node
}

function factsOfAll({ contents, errors, warnings }: Document): unknown {
  return [factsOf(contents), errors.length, warnings.length]
}

/** Whether it is read without the parser of YAML, and if so, as that one reads it. */
function isPlain(text: string): boolean {
  const plain = parsePlain(text)
  if (plain === undefined) return false
  const whole = parseYaml(text)
  expect([text, factsOfAll(plain.document)]).toEqual([text, factsOfAll(whole.document)])
  expect([text, plain.lines.lineStarts]).toEqual([text, whole.lines.lineStarts])
  return true
}

describe('a text that is read without the parser of YAML', () => {
  it('is read as by that one', () => {
    const texts = fc.oneof({ weight: 4, arbitrary: ordinary }, damaged, pieces)
    const property = fc.property(texts, (text) => void isPlain(text))
    fc.assert(property, { numRuns: 2000 })
  })

  it('is each of blocks, lists and JSON, as files of limits have them', () => {
    const others = good.filter(({ text }) => !isPlain(text))
    expect(others.every(({ text }) => /[&\ufeff]/.test(text))).toBe(true)
    expect([original, readable].map(isPlain)).toEqual([true, true])
  })

  // biome-ignore format: a table
  it.each([
    // what                          text
    ['a name with an anchor',        'a: &b 1'],
    ['an alias',                     'a: *b'],
    ['a text of several lines',      'a: b\n  c'],
    ['a text behind a bar',          'a: |\n  b'],
    ['a second document',            'a: 1\n---\nb: 2'],
    ['a name twice removed',         'a:\n    b: 1\n  c: 2'],
    ['a list that is not closed',    'a: [1'],
    ['a value that is left out',     'a:\nb: 1'],
    ['a tab',                        'a:\t1'],
    ['an escape',                    'a: "\\n"'],
    ['a name that is too long',      `${'x'.repeat(1001)}: 1`],
    ['collections without end',      '['.repeat(200) + ']'.repeat(200)],
    ['nothing',                      ''],
  ])('has not %s', (_what, text) => {
    expect(parsePlain(text)).toBeUndefined()
  })

  it('may have a million empty lines, and a line of a million words', () => {
    expect(isPlain(`a: 1${'\n'.repeat(1_000_000)}b: 2\n`)).toBe(true)
    expect(parsePlain(`a: ${'b '.repeat(1_000_000)}c`)).toBeUndefined()
  })
})
