import fc from 'fast-check'
import { bad, good } from './examples.ts'

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
/** Words of the format, one behind the other. */
export const pieces: fc.Arbitrary<string> = fc.array(piece, { maxLength: 60 }).map((all) => all.join(''))

/** A text with something taken out and something put in. */
function damagedOf(
  texts: fc.Arbitrary<string>,
  put: fc.Arbitrary<string>,
  most: number,
): fc.Arbitrary<string> {
  return fc.record({ text: texts, at: fc.nat(), cut: fc.nat(most), put }).map(({ text, at, cut, put }) => {
    const from = at % (text.length + 1)
    return text.slice(0, from) + put + text.slice(from + cut)
  })
}

const examples = fc.constantFrom(...[...good, ...bad].map(({ text }) => text))
export const damaged: fc.Arbitrary<string> = damagedOf(examples, pieces, 20)

/** Lines that stand below others. */
type Lines = readonly string[]
const deeper = (lines: Lines, by: number) => lines.map((line) => ' '.repeat(by) + line)

// biome-ignore format: lists
const [names, values] = [
  ['a', 'b c', '"*"', "'d'", '7', 'true', '1e3', 'é', '__proto__', 'a*', 'limits', 'x'.repeat(1001)],
  ['x', 'y z', 'a-b "c"', '1m', '1', '0x1f', '1e3', '.5', '+1', 'NULL', 'False', '"n # : "', "'*'", '[1, 2,3]', '{ a: 1,  "b":2 }', '[]', '{ }', '[[x], {a: [y z]}]',
   '-1', '~', '*a', '[a: 1]', '{ a }', '{a: 1,}', '|', 'a:b', 'a  b', "'it''s'", '"\\n"', '[1,', ''],
]
const block = fc.letrec<{ map: Lines; list: Lines; child: Lines }>((tie) => {
  const value = fc.tuple(fc.constantFrom(...values), fc.constantFrom('', '', ' ', ' # x', '  #'))
  const child = tie('child')
  const pair = fc
    .tuple(
      fc.constantFrom(...names),
      fc.oneof({ depthSize: 'small' }, value, fc.tuple(child, fc.constantFrom(0, 1, 2, 4))),
      fc.constantFrom<Lines>([], [], [''], ['# y']),
    )
    .map(([name, [of, more], between]) =>
      typeof of === 'string'
        ? [`${name}: ${of}${more}`, ...between]
        : [`${name}:`, ...between, ...deeper(of, Number(more))],
    )
  const item = fc
    .tuple(fc.oneof({ depthSize: 'small' }, value, child), fc.constantFrom(1, 3))
    .map(([of, by]) => {
      const [first = '', ...others] = typeof of[1] === 'string' && typeof of[0] === 'string' ? of : of
      return [`-${' '.repeat(by)}${first}`, ...deeper(others, by + 1)]
    })
  return {
    map: fc.array(pair, { minLength: 1, maxLength: 3 }).map((all) => all.flat()),
    list: fc.array(item, { minLength: 1, maxLength: 3 }).map((all) => all.flat()),
    child: fc.oneof({ weight: 3, arbitrary: tie('map') }, tie('list')),
  }
})
const blocks = fc
  .tuple(block.child, fc.constantFrom('', '\n', '\n\n  '), fc.constantFrom(0, 0, 2))
  .map(([lines, end, by]) => deeper(lines, by).join('\n') + end)
const json = fc
  .tuple(fc.json({ maxDepth: 3 }), fc.constantFrom(0, 1, 2))
  .map(([text, indent]) => JSON.stringify(JSON.parse(text), undefined, indent))

const written = fc.oneof(blocks, blocks, json)
const change = fc.oneof(fc.constantFrom(...words), fc.constantFrom('\n', ' ', '  ', ',', '}', '# x\n', '"'))
/** Blocks and lists, and JSON; with something else in one place now and then. */
export const ordinary: fc.Arbitrary<string> = fc.oneof(written, written, damagedOf(written, change, 2))
