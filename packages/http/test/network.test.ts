import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { networkOf } from '../src/address.ts'
import { viewOf } from '../src/request-view.ts'
import { exchangeOf } from './exchange.ts'

describe('networkOf', () => {
  // biome-ignore format: a table
  it.each([
    // address                   prefix  network
    ['192.0.2.1',                    64, '192.0.2.1'],
    ['192.0.2.1',                     1, '192.0.2.1'],
    ['::ffff:192.0.2.1',             64, '192.0.2.1'],
    ['::FFFF:192.0.2.1',             64, '192.0.2.1'],
    ['::ffff:c000:201',             128, '192.0.2.1'],
    ['0:0:0:0:0:ffff:c000:0201',      1, '192.0.2.1'],
    ['[::ffff:192.0.2.1]:8080',      64, '192.0.2.1'],
    ['192.0.2.1:8080',               64, '192.0.2.1'],
    ['2001:DB8:1:2:3:4:5:6',         64, '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::6',       64, '2001:db8:1:2::/64'],
    ['fe80::1%eth0',                 64, 'fe80::/64'],
    ['[2001:db8:1:2::6]:443',        64, '2001:db8:1:2::/64'],
    ['2001:db8:1:2:3:4:5:6',         64, '2001:db8:1:2::/64'],
    ['2001:db8:1:2::',               64, '2001:db8:1:2::/64'],
    ['2001:db8::1',                  64, '2001:db8::/64'],
    ['2001:db8:1:2ff:3:4:5:6',       56, '2001:db8:1:200::/56'],
    ['2001:db8:1:2:3:4:5:6',         48, '2001:db8:1::/48'],
    ['2001:db8:1:f:3:4:5:6',         61, '2001:db8:1:8::/61'],
    ['2001:db8:1:2:3:4:5:6',         65, '2001:db8:1:2::/65'],
    ['2001:db8:1:2:8003:4:5:6',      65, '2001:db8:1:2:8000::/65'],
    ['2001:db8:1:2:3:4:5:7',        127, '2001:db8:1:2:3:4:5:6/127'],
    ['2001:db8:1:2:3:4:5:7',        128, '2001:db8:1:2:3:4:5:7/128'],
    ['ffff::1',                       1, '8000::/1'],
    ['7fff::1',                       1, '::/1'],
    ['::1',                          64, '::/64'],
    // NAT64 by RFC 6052: the client is the IPv4 address.
    ['64:ff9b::192.0.2.1',           64, '192.0.2.1'],
    ['64:ff9b::c000:202',             1, '192.0.2.2'],
    ['64:ff9b::1:c000:201',          64, '64:ff9b::/64'],
    // NAT64 of one's own by RFC 8215, with a prefix of 96, 64 and 48 bits: each client has one address.
    ['64:ff9b:1::192.0.2.1',         64, '64:ff9b:1::c000:201/128'],
    ['64:ff9b:1:fffe:c0:2:100::',    64, '64:ff9b:1:fffe:c0:2:100:0/128'],
    ['64:ff9b:1:c000:2:100::',       56, '64:ff9b:1:c000:2:100::/128'],
    ['64:ff9b:2::192.0.2.1',         64, '64:ff9b:2::/64'],
    // 6to4: one site, one client.
    ['2002:c000:201::1',             64, '2002:c000:201::/48'],
    ['2002:c000:201:ffff:1:2:3:4',   64, '2002:c000:201::/48'],
    ['2002:c000:202::1',            128, '2002:c000:202::/48'],
    ['2002:c000:201:1::1',           32, '2002:c000::/32'],
    // Teredo: the IPv4 address behind the tunnel, whatever server, port and flags.
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 64, '192.0.2.45'],
    ['2001::3fff:fdd2',             128, '192.0.2.45'],
    ['2001:1:4136:e378::1',          64, '2001:1:4136:e378::/64'],
    // IPv4-compatible, which no network carries: as any other.
    ['::192.0.2.1',                  64, '::/64'],
  ])('counts %s cut to /%i as %s', (address, prefix, network) => {
    expect(networkOf(address, prefix)).toBe(network)
  })

  it('cuts to the first 64 bits unless another number is given, as a middleware does', () => {
    for (const ip of ['::ffff:192.0.2.1', '2001:DB8::7:0:0:1', 'fe80::1%eth0', '192.0.2.1'])
      expect(networkOf(ip)).toBe(viewOf({ ...exchangeOf().facts, ip }, 64).network)
  })

  it.each([
    '',
    'unknown',
    'unix:/run/app.sock',
    'localhost',
    '010.0.0.1',
    '192.0.2.0/24',
    '::1::',
    undefined,
    null,
    7,
  ])('throws for %p, which is no address, as all such callers would share a count', (address) => {
    expect(() => networkOf(address as string, 64)).toThrow('address: expected an IPv4 or IPv6 address, got ')
    expect(() => networkOf(address as string, 64)).toThrow(TypeError)
  })

  it.each([0, 129, 1.5, '64', null])('throws for a prefix of %p', (prefix) => {
    expect(() => networkOf('2001:db8::1', prefix as number)).toThrow(
      'ipv6Prefix: expected a whole number from 1 to 128',
    )
  })

  it('joins two addresses exactly when their first bits agree', () => {
    const side = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n })
    fc.assert(
      fc.property(side, fc.nat(127), fc.integer({ min: 1, max: 128 }), (address, flipped, prefix) => {
        const other = address ^ (1n << BigInt(127 - flipped))
        const same = networkOf(plainText(address), prefix) === networkOf(plainText(other), prefix)
        expect(same).toBe(flipped >= prefix)
      }),
      { numRuns: 2000 },
    )
  })
})

function plainText(address: bigint): string {
  const digits = address.toString(16).padStart(32, '0')
  return (digits.match(/.{4}/g) ?? []).join(':')
}
