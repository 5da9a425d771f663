import { expect, it } from '@jest/globals'
import { wireName } from '../../src/decision/wire-name.ts'
import { prefersText } from '../../src/http/accept.ts'
import { canonicalAddress } from '../../src/http/address.ts'
import { networkOf } from '../../src/http/network.ts'
import { createLimiter, fixedWindow } from '../../src/index.ts'
import { encodeKey } from '../../src/key.ts'
import { nearest } from '../../src/options.ts'
import { durationUs } from '../../src/units.ts'
import { cpuMsOf } from '../cpu.ts'

const length = 100_000

const limiter = createLimiter({ policy: fixedWindow({ limit: 1_000_000, window: '1h' }) })

/** Whatever reads a text that a client, a proxy or a program of somebody else's may have chosen. */
const readers: readonly (readonly [string, (text: string) => unknown])[] = [
  ['an address', (text) => canonicalAddress(text)],
  ['a network', (text) => expect(() => networkOf(text, 64)).toThrow(/^address: expected.{1,600}$/)],
  ['an Accept field', (text) => prefersText(text)],
  ['a key', (text) => encodeKey(text)],
  ['a key of several', (text) => encodeKey(['a', text], 1)],
  ['a key of many', (text) => encodeKey(text.split(''))],
  ['a check of a key', (text) => limiter.check(text)],
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
