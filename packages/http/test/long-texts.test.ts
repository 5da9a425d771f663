import { createHash } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { cpuMsOf } from '@sluice/conformance/internal'
import { attributedWindow, createLimiter, fixedWindow } from '@sluice/core'
import { durationUs, encodeKey, nearest, wireName } from '@sluice/core/internal'
import { prefersText } from '../src/accept.ts'
import { canonicalAddress } from '../src/address.ts'
import { ListTable } from '../src/list-table.ts'
import { networkOf } from '../src/network.ts'

const length = 100_000

const limiter = createLimiter({ policy: fixedWindow({ limit: 1_000_000, window: '1h' }) })

const noting = createLimiter({ policy: attributedWindow({ limit: 100_000, window: '1h' }) })

const everywhere = { limiter: undefined, endsAtUs: Number.POSITIVE_INFINITY }
const lists = new ListTable([
  { list: 'deny', network: '192.0.2.0/24', key: undefined, ...everywhere },
  { list: 'deny', network: undefined, key: 'bob', ...everywhere },
])

/** Whatever reads a text that a client, a proxy or a program of somebody else's may have chosen. */
const readers: readonly (readonly [string, (text: string) => unknown])[] = [
  ['an address', (text) => canonicalAddress(text)],
  ['a network', (text) => expect(() => networkOf(text, 64)).toThrow(/^address: expected.{1,600}$/)],
  ['an Accept field', (text) => prefersText(text)],
  ['a key', (text) => encodeKey(text)],
  ['a key of several', (text) => encodeKey(['a', text], 1)],
  ['a key of many', (text) => encodeKey(text.split(''))],
  ['a check of a key', (text) => limiter.check(text)],
  ['a key that lists may name', (text) => lists.ofKey(text, 'login')],
  ['a note', (text) => noting.check('a', { note: text })],
  ['the name of a policy', (text) => wireName(text)],
  ['a misspelt name', (text) => nearest(text, ['policy', 'policies', 'store'])],
  ['a duration', (text) => expect(() => durationUs(text, 'time')).toThrow(/^time: expected.{1,600}$/)],
]

const frames = [
  ['', ''],
  ['a/b;c="', ''],
  ['[', '!'],
] as const
/** Repeated, what makes a pattern try one place after the other. */
const pieces = [
  'a',
  '1',
  ' ',
  '.',
  ':',
  '1.',
  'a:',
  '::',
  '"',
  '\\"',
  ';',
  ',',
  '/',
  '%',
  '%a',
  'a/b;',
  ';q=',
  'é',
  '\ud800',
  '\n',
  '{}',
]

it.each(readers)('a long text is read in time in proportion to its length as %s', async (_title, read) => {
  for (const piece of pieces) {
    for (const [start, end] of frames) {
      const text = `${start}${piece.repeat(length / piece.length)}${end}`
      // A hundredth of a millisecond for a character; where work grows with the square of the length, minutes.
      expect(await cpuMsOf(() => read(text))).toBeLessThan(1000)
    }
  }
})

describe('a megabyte as a key costs about what hashing its bytes costs', () => {
  const size = 1_000_000
  const letters = [
    'a',
    '{',
    '}',
    '%',
    ':',
    ',',
    '"',
    '\0',
    '\x7f',
    'é',
    '€',
    '\u{1f600}',
    '\ud800',
    'a{',
    '\u{1f600}{',
    'a\udc00',
  ]

  /** How many times the least of `known` the least of `work` is, run in turn: what else runs on the machine makes both dearer. */
  async function times(work: () => unknown, known: () => unknown): Promise<number> {
    let [least, ofKnown] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let run = 0; run < 5; run++) {
      least = Math.min(least, await cpuMsOf(work))
      ofKnown = Math.min(ofKnown, await cpuMsOf(known))
    }
    return least / ofKnown
  }

  it.each(letters)('whatever is in it, such as %j', async (letter) => {
    const text = letter.repeat(size / letter.length)
    // The whole name of a member, and members that are each short enough to be escaped.
    const short = Array.from({ length: size / 100 }, (_, i) => text.slice(i * 100, i * 100 + 100))
    const hashing = () => createHash('sha256').update(text, 'utf16le').digest('hex')
    for (const key of [text, [text, 'b'], ['b', text, 'c'], short]) {
      for (const tag of [1, undefined]) {
        expect(await times(() => encodeKey(key, tag), hashing)).toBeLessThan(10)
      }
    }
  })
})
