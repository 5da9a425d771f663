import { createHash } from 'node:crypto'
import { expect, it } from '@jest/globals'
import { timesAsLong, timesAsMuch } from '@sluice/conformance/internal'
import { attributedWindow, createLimiter, fixedWindow } from '@sluice/core'
import { didYouMean, durationUs, encodeKey, wireName } from '@sluice/core/internal'
import { prefersText } from '../src/accept.ts'
import { canonicalAddress, networkOf } from '../src/address.ts'
import { ListTable } from '../src/list-table.ts'

const length = 50_000

const limiter = createLimiter({ policy: fixedWindow({ limit: 1_000_000, window: '1h' }) })

const noting = createLimiter({ policy: attributedWindow({ limit: 100_000, window: '1h' }) })

const everywhere = { limiter: undefined, endsAtUs: Number.POSITIVE_INFINITY }
const lists = new ListTable([
  { list: 'deny', network: '192.0.2.0/24', key: undefined, ...everywhere },
  { list: 'deny', network: undefined, key: 'bob', ...everywhere },
])

/** As `toThrow`, which takes longer than what is measured. */
function refused(read: () => unknown, message: RegExp): void {
  try {
    read()
  } catch (error) {
    if (message.test(String((error as Error).message))) return
    throw error
  }
  throw new Error('It was read.')
}

/** Whatever reads a text that a client, a proxy or a program of somebody else's may have chosen. */
const readers: readonly (readonly [string, (text: string) => unknown])[] = [
  ['an address', (text) => canonicalAddress(text)],
  ['a network', (text) => refused(() => networkOf(text, 64), /^address: expected.{1,600}$/)],
  ['an Accept field', (text) => prefersText(text)],
  ['a key', (text) => encodeKey(text)],
  ['a key of several', (text) => encodeKey(['a', text], 1)],
  ['a key of many', (text) => encodeKey(text.split(''))],
  ['a check of a key', (text) => limiter.check(text)],
  ['a key that lists may name', (text) => lists.ofKey(text, 'login')],
  ['a note', (text) => noting.check('a', { note: text })],
  ['the name of a policy', (text) => wireName(text)],
  ['a misspelt name', (text) => didYouMean(text, ['policy', 'policies', 'store'])],
  ['a duration', (text) => refused(() => durationUs(text, 'time'), /^time: expected.{1,600}$/)],
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
      const textOf = (characters: number) => `${start}${piece.repeat(characters / piece.length)}${end}`
      expect(await timesAsLong(read, textOf, length)).toBeLessThan(10)
    }
  }
})

// biome-ignore format: a list
const letters = [
  'a', '{', '}', '%', ':', ',', '"', '\0', '\x7f', 'é', '€', '\u{1f600}', '\ud800', 'a{', '\u{1f600}{', 'a\udc00',
]

it.each(letters)(
  'a long key costs about what hashing its bytes costs, also when it is full of %j',
  async (letter) => {
    const text = letter.repeat(length / letter.length)
    // The whole name of a member, and members that are each short enough to be escaped.
    const short = Array.from({ length: length / 100 }, (_, i) => text.slice(i * 100, i * 100 + 100))
    const hashing = () => createHash('sha256').update(text, 'utf16le').digest('hex')
    for (const key of [text, [text, 'b'], ['b', text, 'c'], short]) {
      for (const tag of [1, undefined]) {
        expect(await timesAsMuch(() => encodeKey(key, tag), hashing)).toBeLessThan(10)
      }
    }
  },
)
