import { expect, it } from '@jest/globals'
import { keyText, readTypedKey } from '../../src/live/keys.ts'

// biome-ignore format: a table
it.each([
  // typed                     key                        address
  ['203.0.113.9',              '203.0.113.9',             '203.0.113.9'],
  ['2001:db8:1:2:3::4',        '2001:db8:1:2::/64',       '2001:db8:1:2:3::4'],
  ['::ffff:203.0.113.9',       '203.0.113.9',             '::ffff:203.0.113.9'],
  ['alice',                    'alice',                   undefined],
  ['["org-7","alice"]',        ['org-7', 'alice'],        undefined],
])('%s is the key %j, as middlewares have it', (text, key, address) => {
  expect(readTypedKey(text)).toEqual({ text, key, address })
})

// biome-ignore format: a table
it.each([
  // key                       shown
  ['alice',                    'alice'],
  [['org-7', 'alice'],         '["org-7","alice"]'],
  ['bob\u001b[2J',             '["bob\\u001b[2J"]'],
  ['\u202ebob',                '["\\u202ebob"]'],
  ['bob\nalice',               '["bob\\nalice"]'],
  ['\ud800',                   '["\\ud800"]'],
  ['["bob"]',                  '["[\\"bob\\"]"]'],
  ['-5',                       '["-5"]'],
  [['org-7', '\u009b2J'],      '["org-7","\\u009b2J"]'],
])('%j is shown on one line, and that means it where it is typed', (key, shown) => {
  expect(keyText(key)).toBe(shown)
  // A limiter counts a list with one text as that text.
  expect([readTypedKey(shown).key].flat()).toEqual([key].flat())
})
