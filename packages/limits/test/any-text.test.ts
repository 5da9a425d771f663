import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { readLimitsData, readLimitsText } from '../src/read.ts'
import { bad, good } from './examples.ts'
import { errorOf } from './problems.ts'

// biome-ignore format: a list of words
const words = [
  'schema', 'children', 'limits', 'charge', 'strategy', 'gcra', 'count', 'period', 'user', 'unlimited', 'deny', 'every-level', '1m',
  ': ', ':', '\n', '\n  ', '\n    ', '\r\n', ' ', '\t', ', ', '[', ']', '{', '}', '"*"', '*', '&a ', '*a', '<<', '- ', '? ', '|', '>', '#',
  '"', "'", '---\n', '...\n', '%YAML 1.1\n', '!!str ', '!x ', '1', '0', '-1', '.5', '~', 'true', '__proto__', '\\', '\u0000', '\uFEFF', '\uD800', '😀',
]

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...words) },
  fc.string({ unit: 'binary', maxLength: 5 }),
)
const pieces = fc.array(piece, { maxLength: 60 }).map((all) => all.join(''))

/** An example with something taken out and something put in. */
const damaged = fc
  .record({
    text: fc.constantFrom(...[...good, ...bad].map(({ text }) => text)),
    at: fc.nat(),
    cut: fc.nat(20),
    put: pieces,
  })
  .map(({ text, at, cut, put }) => {
    const from = at % (text.length + 1)
    return text.slice(0, from) + put + text.slice(from + cut)
  })

const runs = { numRuns: 1000 }

/** It is read, or each of its problems says where, what and what instead, on one line. */
function isReadOrReported(read: () => unknown, lines: number): void {
  const error = errorOf(read)
  if (error === undefined) return
  expect(error.problems.length).toBeGreaterThan(0)
  for (const { line, column, expected, got, path } of error.problems) {
    expect(line).toBeGreaterThanOrEqual(Math.min(lines, 1))
    expect(line).toBeLessThanOrEqual(lines)
    expect(column).toBeGreaterThanOrEqual(Math.min(lines, 1))
    expect(expected).not.toBe('')
    expect(got).not.toBe('')
    expect(path + expected + got).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
  }
}

describe('any text', () => {
  it.each([
    ['of words of the format', pieces],
    ['like a file of limits', damaged],
    ['at all', fc.string({ unit: 'binary' })],
  ])('is read, or what is wrong with it is reported: a text %s', (_title, texts) => {
    const read = (text: string) =>
      isReadOrReported(() => readLimitsText(text), text.split(/\r\n|\r|\n/).length)
    fc.assert(fc.property(texts, read), runs)
  })
})

it('any data is read, or what is wrong with it is reported', () => {
  const data = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withSparseArray: true,
  })
  const place = fc.oneof(
    data,
    fc.record({ limits: data, children: fc.dictionary(fc.string(), data) }, { requiredKeys: [] }),
  )
  const file = fc.oneof(
    data,
    fc.record({ schema: fc.dictionary(fc.string(), place), charge: data }, { requiredKeys: ['schema'] }),
  )
  fc.assert(
    fc.property(file, (each) => isReadOrReported(() => readLimitsData(each), 0)),
    runs,
  )
})
