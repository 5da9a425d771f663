import { describe, expect, it } from '@jest/globals'
import { timesAsMuch } from '@sluice/conformance/internal'
import fc from 'fast-check'
import { compileAddressList } from '../src/cidr.ts'

function bad(index: number, expected: string, got: string): never {
  throw new TypeError(`[${index}]: expected ${expected}, got ${JSON.stringify(got)}`)
}

describe('compileAddressList', () => {
  // biome-ignore format: a table
  it.each([
    // entry                    inside                                    outside
    ['192.0.2.1',               ['192.0.2.1'],                            ['192.0.2.0', '192.0.2.2', '::c000:201']],
    ['10.0.0.0/8',              ['10.0.0.0', '10.255.255.255', '::ffff:10.1.2.3'], ['9.255.255.255', '11.0.0.0', 'a00::']],
    ['192.0.2.128/25',          ['192.0.2.128', '192.0.2.255'],           ['192.0.2.127', '192.0.3.0']],
    ['192.0.2.6/31',            ['192.0.2.6', '192.0.2.7'],               ['192.0.2.5', '192.0.2.8']],
    ['192.0.2.6/32',            ['192.0.2.6'],                            ['192.0.2.5', '192.0.2.7']],
    ['0.0.0.0/0',               ['0.0.0.0', '255.255.255.255'],           ['::', '::1']],
    ['::ffff:192.0.2.1',        ['192.0.2.1'],                            ['192.0.2.2', '::c000:201']],
    ['::ffff:10.0.0.0/104',     ['10.0.0.0', '10.255.255.255'],           ['11.0.0.0']],
    ['::ffff:0:0/96',           ['0.0.0.0', '255.255.255.255'],           ['::', '::1']],
    ['2001:db8::7',             ['2001:db8::7'],                          ['2001:db8::6', '2001:db8::8']],
    ['2001:DB8:0::0/32',        ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'], ['2001:db7:ffff::', '2001:db9::']],
    ['2001:db8:8000::/33',      ['2001:db8:8000::', '2001:db8:ffff::1'],  ['2001:db8:7fff::', '2001:db9::']],
    ['fe80::/10',               ['fe80::1', 'febf::1'],                   ['fe7f::', 'fec0::']],
    ['::1/128',                 ['::1'],                                  ['::', '::2', '0.0.0.1']],
    ['::/0',                    ['::', 'ffff::'],                         ['192.0.2.1', '64:ff9b::192.0.2.1']],
    ['64:ff9b::192.0.2.1',      ['192.0.2.1', '64:ff9b::c000:201'],       ['192.0.2.2', '64:ff9b::']],
    ['64:ff9b::10.0.0.0/104',   ['10.0.0.0', '64:ff9b::10.255.255.255'],  ['11.0.0.0']],
    ['192.0.2.0/24',            ['64:ff9b::192.0.2.9'],                   ['64:ff9b:1::192.0.2.9', '2002:c000:201::1']],
    ['64:ff9b:1::/48',          ['64:ff9b:1::192.0.2.9'],                 ['192.0.2.9', '64:ff9b::192.0.2.9']],
    ['2002:c000:201::/48',      ['2002:c000:201:ffff::1'],                ['192.0.2.1']],
    ['2001::/32',               ['2001:0:1:2:3:4:3fff:fdd2'],             ['192.0.2.45']],
  ])('%s holds what lies in it', (entry, inside, outside) => {
    const isListed = compileAddressList([entry], bad)
    expect(inside.filter((address) => !isListed(address))).toEqual([])
    expect(outside.filter((address) => isListed(address))).toEqual([])
  })

  // biome-ignore format: a table
  it.each([
    // entry                    what was expected
    ['10.1.2.3/16',             'the network "10.1.0.0/16" (no bits set behind the prefix)'],
    ['192.0.2.1/0',             'the network "0.0.0.0/0" (no bits set behind the prefix)'],
    ['192.0.2.1/31',            'the network "192.0.2.0/31" (no bits set behind the prefix)'],
    ['2001:db8::1/32',          'the network "2001:db8::/32" (no bits set behind the prefix)'],
    ['2001:db8:7:8::/49',       'the network "2001:db8:7::/49" (no bits set behind the prefix)'],
    ['::ffff:10.1.2.3/112',     'the network "10.1.0.0/16" (no bits set behind the prefix)'],
    ['::ffff:10.0.0.0/8',       'the network "::/8" (no bits set behind the prefix)'],
    ['::ffff:0:0/95',           'the network "::fffe:0:0/95" (no bits set behind the prefix)'],
    ['64:ff9b::/96',            'IPv4 addresses or networks, as clients by way of NAT64 are known by their IPv4 addresses'],
    ['64:ff9b::/64',            'IPv4 addresses or networks, as clients by way of NAT64 are known by their IPv4 addresses'],
    ['64:ff9b::/32',            'IPv4 addresses or networks, as clients by way of NAT64 are known by their IPv4 addresses'],
    ['64:ff9b::10.1.2.3/112',   'the network "10.1.0.0/16" (no bits set behind the prefix)'],
    ['10.0.0.0/33',             'a prefix length from 0 to 32 behind the slash'],
    ['10.0.0.0/',               'a prefix length from 0 to 32 behind the slash'],
    ['10.0.0.0/08',             'a prefix length from 0 to 32 behind the slash'],
    ['10.0.0.0/-1',             'a prefix length from 0 to 32 behind the slash'],
    ['10.0.0.0/8.0',            'a prefix length from 0 to 32 behind the slash'],
    ['10.0.0.0/8 ',             'a prefix length from 0 to 32 behind the slash'],
    ['10.0.0.0/8/8',            'a prefix length from 0 to 32 behind the slash'],
    ['10.0.0.0/255.0.0.0',      'a prefix length from 0 to 32 behind the slash'],
    ['2001:db8::/129',          'a prefix length from 0 to 128 behind the slash'],
    ['2001:db8::/1e1',          'a prefix length from 0 to 128 behind the slash'],
  ])('refuses %s and says what is right', (entry, expected) => {
    expect(() => compileAddressList(['192.0.2.1', entry], bad)).toThrow(
      `[1]: expected ${expected}, got ${JSON.stringify(entry)}`,
    )
  })

  it.each([
    '',
    ' ',
    '/8',
    'localhost',
    '10.0.0',
    '10/8',
    '010.0.0.0/8',
    '*',
    '10.0.0.*',
    '192.0.2.1:80',
    '[::1]',
    'fe80::1%eth0',
    ' 10.0.0.0/8',
  ])('refuses %j, which is neither an address nor a network', (entry) => {
    expect(() => compileAddressList([entry], bad)).toThrow(/^\[0\]: expected an address or a network such as/)
  })

  it('reports a number from a program without types instead of failing on it', () => {
    const untyped: string[] = JSON.parse('[5]')
    expect(() => compileAddressList(untyped, bad)).toThrow('[0]: expected an address or a network')
  })

  it('lists nothing when empty, and no text that is no address', () => {
    expect(compileAddressList([], bad)('192.0.2.1')).toBe(false)
    expect(compileAddressList(['0.0.0.0/0', '::/0'], bad)('unknown')).toBe(false)
  })

  it('finds what a walk through all entries finds, nested and repeated ones too', () => {
    fc.assert(
      fc.property(fc.array(networks, { maxLength: 40 }), fc.array(points), (list, others) => {
        const entries = list.map(({ width, value, bits }) => `${write(width, value)}/${bits}`)
        const isListed = compileAddressList(entries, bad)
        for (const { width, value } of [...others, ...list]) {
          const expected = list.some((network) => network.width === width && isIn(network, value))
          expect([entries, write(width, value), isListed(write(width, value))]).toEqual([
            entries,
            write(width, value),
            expected,
          ])
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('looks an address up among 100,000 networks without walking through them', async () => {
    const list = Array.from(
      { length: 100_000 },
      (_, i) => `10.${i >> 9}.${(i >> 1) & 255}.${(i & 1) * 128}/25`,
    )
    const [isListed, isAmongFew] = [
      compileAddressList(list, bad),
      compileAddressList(list.slice(0, 100), bad),
    ]
    const addresses = Array.from({ length: 256 }, (_, i) => `10.${i}.7.200`)
    // Of 10.0.0.0 to 10.195.79.255.
    expect(addresses.filter(isListed)).toEqual(addresses.slice(0, 196))
    // The same one again and again: else what is measured is the processor's caches, of which a longer list misses more.
    const same = addresses.map(() => '10.97.7.200')
    expect([isListed, isAmongFew].map((isIn) => isIn(same[0] ?? ''))).toEqual([true, false])
    // 17 steps and 7; a walk would take 100,000 and 100.
    expect(
      await timesAsMuch(
        () => same.map(isListed),
        () => same.map(isAmongFew),
      ),
    ).toBeLessThan(20)
  })
})

interface Network {
  readonly width: 32 | 128
  readonly value: bigint
  readonly bits: number
}

// Few distinct bytes, so that networks nest, repeat and touch, and addresses hit them.
const points = fc
  .tuple(
    fc.constantFrom<32 | 128>(32, 128),
    fc.array(fc.constantFrom('01', '80', 'ff', '00'), { minLength: 16, maxLength: 16 }),
  )
  .map(([width, bytes]) => ({ width, value: BigInt(`0x${bytes.slice(0, width / 8).join('')}`) }))
const networks = fc.tuple(points, fc.nat(128)).map(([{ width, value }, length]): Network => {
  const bits = length % (width + 1)
  const hostBits = BigInt(width - bits)
  return { width, value: (value >> hostBits) << hostBits, bits }
})

function isIn({ width, value, bits }: Network, address: bigint): boolean {
  return (address ^ value) >> BigInt(width - bits) === 0n
}

function write(width: 32 | 128, value: bigint): string {
  const digits = value.toString(16).padStart(width / 4, '0')
  if (width === 128) return (digits.match(/.{4}/g) ?? []).join(':')
  return (digits.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).join('.')
}
