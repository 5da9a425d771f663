import { expect, it } from '@jest/globals'
import { readTypedKey } from '../../src/live/keys.ts'

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
