import { describe, expect, it } from '@jest/globals'
import { viewOf } from '../src/request-view.ts'
import { exchangeOf } from './exchange.ts'

describe('viewOf', () => {
  // biome-ignore format: a table
  it.each([
    // as the framework says      connection from       address            network
    ['192.0.2.1',                 '192.0.2.1',          '192.0.2.1',       '192.0.2.1'],
    ['::ffff:192.0.2.1',          '::ffff:192.0.2.1',   '192.0.2.1',       '192.0.2.1'],
    ['2001:DB8::1',               '10.0.0.1',           '2001:db8::1',     '2001:db8::/64'],
    ['192.0.2.1:80',              '10.0.0.1',           '192.0.2.1',       '192.0.2.1'],
    ['unknown',                   '10.0.0.1',           '10.0.0.1',        '10.0.0.1'],
    ['',                          '10.0.0.1',           '10.0.0.1',        '10.0.0.1'],
    [undefined,                   '10.0.0.1',           '10.0.0.1',        '10.0.0.1'],
    ['unknown',                   undefined,            undefined,         'unknown'],
    [undefined,                   undefined,            undefined,         'unknown'],
  ])('reads %p from %p as %p, counted under %p', (ip, peer, address, network) => {
    const view = viewOf(exchangeOf({ ip, peer }).facts, 64)
    expect([view.address, view.network]).toEqual([address, network])
  })

  it('cuts IPv6 addresses to the prefix', () => {
    const { facts } = exchangeOf({ ip: '2001:db8:1:2:3:4:5:6' })
    expect([48, 56, 128].map((prefix) => viewOf(facts, prefix).network)).toEqual([
      '2001:db8:1::/48',
      '2001:db8:1::/56',
      '2001:db8:1:2:3:4:5:6/128',
    ])
  })

  it('reads header fields whatever their case, lines of one name joined', () => {
    const view = viewOf(exchangeOf({ headers: { 'x-key': 'bob', via: ['a', 'b'] } }).facts, 64)
    expect([view.header('X-Key'), view.header('Via'), view.header('x-none')]).toEqual([
      'bob',
      'a, b',
      undefined,
    ])
  })
})
