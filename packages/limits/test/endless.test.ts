import { expect, it } from '@jest/globals'
import { readLimitsData, readLimitsText } from '../src/read.ts'
import { errorOf } from './problems.ts'

const megabyte = 1 << 20
const furtherIn = Array.from({ length: 1450 }, (_, i) => `${' '.repeat(i)}a:\n`).join('')
const tooDeep = 'at most 500 collections, one within the other'

/** Each place is an alias of ten of the one before: thirty lines for 10 to the 30 places. */
function laughs(): string {
  const tens = (i: number) => Array.from({ length: 10 }, (_, j) => `n${j}: *a${i}`).join(', ')
  const lines = Array.from({ length: 30 }, (_, i) => `  a${i + 1}: &a${i + 1} { children: { ${tens(i)} } }\n`)
  return `schema:\n  a0: &a0 {}\n${lines.join('')}`
}

/** Each place holds an alias of the one before, so that the last is deeper than any text is nested. */
function ladder(rungs: number): string {
  const lines = Array.from(
    { length: rungs },
    (_, i) => `  a${i + 1}: &a${i + 1} { children: { up: *a${i} } }\n`,
  )
  return `schema:\n  a0: &a0 { limits: [1, 2, 3] }\n${lines.join('')}`
}

/** Rungs of two hundred names each, so that few aliases go deep. */
function longLadder(): string {
  const rung = (i: number) => `${'{ children: { up: '.repeat(200)}*a${i}${' } }'.repeat(200)}`
  const lines = Array.from({ length: 3 }, (_, i) => `  a${i + 1}: &a${i + 1} ${rung(i)}\n`)
  return `schema:\n  a0: &a0 { limits: [1, 2, 3] }\n${lines.join('')}`
}

/** The same with the lists of an option, which are read without any name. */
function laughingOption(): string {
  const tens = (i: number) => Array.from({ length: 10 }, () => `*a${i}`).join(', ')
  const lists = Array.from({ length: 15 }, (_, i) => `&a${i + 1} [${tens(i)}]`)
  return `schema:\n  a: { limits: { strategy: multiWindow, limits: [&a0 [1], ${lists.join(', ')}] } }\n`
}

// biome-ignore format: a table
it.each([
  // what                                  text                                            expected
  ['a megabyte of open brackets',          '['.repeat(megabyte),                           tooDeep],
  ['a hundred thousand, a line each',      '[\n '.repeat(100_000),                         tooDeep],
  ['a megabyte of open mappings',          '{a: '.repeat(megabyte / 4),                    tooDeep],
  ['a megabyte of lists in lists',         '- '.repeat(megabyte / 2),                      tooDeep],
  ['a megabyte of names further in',       furtherIn,                                      tooDeep],
  ['a thousand million laughs',            laughs(),                                       'aliases of at most 100000 entries in all'],
  ['laughs in an option',                  laughingOption(),                               'an object of options such as { limit: … }'],
  ['a ladder of aliases',                  ladder(2000),                                   'aliases of at most 100000 entries in all'],
  ['another file of some megabytes',       'x: y\n'.repeat(megabyte),                      'a text of at most 4000000 characters'],
  ['a ladder of long rungs',               longLadder(),                                   'a path of at most 500 names'],
])('%s is one problem, and no end of the stack or of memory', (_what, text, expected) => {
  expect(errorOf(() => readLimitsText(text))?.problems).toMatchObject([{ expected }])
})

it('three hundred names, one below the other, are read', () => {
  expect(readLimitsText(ladder(300)).levels).toHaveLength(301)
})

it('data may be nested too deep as well', () => {
  let place: object = { limits: [1, 2, 3] }
  for (let i = 0; i < 100_000; i++) place = { children: { a: place } }
  expect(errorOf(() => readLimitsData({ schema: { a: place } }))?.problems).toMatchObject([
    { expected: 'nesting of a depth that can be read', line: 0 },
  ])
})

it('names are nested as deep as the page says', () => {
  const nested = (names: number) =>
    `schema: ${'{ a: { children: '.repeat(names)}{ b: { limits: deny } }${' } }'.repeat(names)}`
  expect(errorOf(() => readLimitsText(nested(240)))).toBeUndefined()
  expect(errorOf(() => readLimitsText(nested(250)))?.problems).toMatchObject([{ expected: tooDeep, line: 1 }])
})

it('an option may not be nested without end either', () => {
  const lists = `${'['.repeat(100)}${']'.repeat(100)}`
  const error = errorOf(() =>
    readLimitsText(`schema: { a: { limits: { strategy: multiWindow, limits: ${lists} } } }`),
  )
  expect(error?.problems).toMatchObject([{ expected: 'data that is not nested so deep', got: 'a list of 1' }])
})
