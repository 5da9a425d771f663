import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { networkOf } from '../../src/http/network.ts'

describe('networkOf', () => {
  // biome-ignore format: a table
  it.each([
    // address                   prefix  network
    ['192.0.2.1',                    64, '192.0.2.1'],
    ['192.0.2.1',                     1, '192.0.2.1'],
    ['unknown',                      64, 'unknown'],
    ['unix:/run/app.sock',           64, 'unix:/run/app.sock'],
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
  ])('counts %s cut to /%i as %s', (address, prefix, network) => {
    expect(networkOf(address, prefix)).toBe(network)
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
