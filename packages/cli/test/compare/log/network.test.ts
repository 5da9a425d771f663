import { expect, it } from '@jest/globals'
import { clientOf } from '../../../src/compare/log/network.ts'

// biome-ignore format: a table
it.each([
  // address                       client
  ['192.0.2.1',                    '192.0.2.1'],
  ['::ffff:192.0.2.1',             '192.0.2.1'],
  ['::FFFF:192.0.2.1',             '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6',         '2001:db8:1:2::/64'],
  ['2001:DB8:0001:2::6',           '2001:db8:1:2::/64'],
  ['2001:db8::1',                  '2001:db8::/64'],
  ['2001:db8:0:1::',               '2001:db8:0:1::/64'],
  ['::1',                          '::/64'],
  ['fe80::1%eth0',                 'fe80::/64'],
  ['example.com:80',               'example.com:80'],
  ['1:2:3',                        '1:2:3'],
  ['a host',                       'a host'],
])('counts %s as %s', (address, expected) => {
  expect(clientOf(address)).toBe(expected)
})
