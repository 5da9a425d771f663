import { isIP } from 'node:net'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { addressGroups, canonicalAddress } from '../src/address.ts'
import { addresses, dottedForm, dresses, isMapped, spell, spellings } from './spellings.ts'

describe('canonicalAddress', () => {
  // biome-ignore format: a table
  it.each([
    // reported                                     canonical
    ['192.0.2.1',                                   '192.0.2.1'],
    ['0.0.0.0',                                     '0.0.0.0'],
    ['255.255.255.255',                             '255.255.255.255'],
    ['::ffff:192.0.2.1',                            '192.0.2.1'],
    ['::FFFF:192.0.2.1',                            '192.0.2.1'],
    ['::ffff:c000:201',                             '192.0.2.1'],
    ['::ffff:c000:0201',                            '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1',                    '192.0.2.1'],
    ['0000:0000:0000:0000:0000:FfFf:C000:0201',     '192.0.2.1'],
    ['0::ffff:192.0.2.1',                           '192.0.2.1'],
    ['::ffff:0:0',                                  '0.0.0.0'],
    ['::',                                          '::'],
    ['::1',                                         '::1'],
    ['0:0:0:0:0:0:0:1',                             '::1'],
    ['2001:DB8::1',                                 '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001',     '2001:db8::1'],
    ['2001:db8:1:2:3:4:5:6',                        '2001:db8:1:2:3:4:5:6'],
    ['1:0:0:2:0:0:0:3',                             '1:0:0:2::3'],
    ['1:0:0:2:3:0:0:4',                             '1::2:3:0:0:4'],
    ['1:2:3:4:5:6:7::',                             '1:2:3:4:5:6:7:0'],
    ['1:2:3::5:6:7:8',                              '1:2:3:0:5:6:7:8'],
    ['1:0:0:0:0:0:0:0',                             '1::'],
    ['2001:db8::192.0.2.1',                         '2001:db8::c000:201'],
    ['::192.0.2.1',                                 '::c000:201'],
    ['64:ff9b::192.0.2.1',                          '192.0.2.1'],
    ['64:FF9B:0:0:0:0:C000:0201',                   '192.0.2.1'],
    ['[64:ff9b::c000:201]:443',                     '192.0.2.1'],
    ['64:ff9b::',                                   '0.0.0.0'],
    ['64:ff9b::1:c000:201',                         '64:ff9b::1:c000:201'],
    ['64:ff9b:1::192.0.2.1',                        '64:ff9b:1::c000:201'],
    ['64:ff9c::192.0.2.1',                          '64:ff9c::c000:201'],
    ['2002:c000:201::1',                            '2002:c000:201::1'],
    ['2001:0:1234::3fff:fdfe',                      '2001:0:1234::3fff:fdfe'],
    ['::ffff:0:192.0.2.1',                          '::ffff:0:c000:201'],
    ['::1:ffff:c000:201',                           '::1:ffff:c000:201'],
  ])('spells %s as %s', (reported, canonical) => {
    expect(canonicalAddress(reported)).toBe(canonical)
  })

  // biome-ignore format: a table
  it.each([
    // reported                       canonical
    ['192.0.2.1:5678',                '192.0.2.1'],
    ['192.0.2.1:0',                   '192.0.2.1'],
    ['"192.0.2.1:5678"',              '192.0.2.1'],
    ['"192.0.2.1"',                   '192.0.2.1'],
    [' \t192.0.2.1 ',                 '192.0.2.1'],
    ['[2001:db8::1]',                 '2001:db8::1'],
    ['[2001:DB8::1]:80',              '2001:db8::1'],
    ['"[2001:db8::1]:80"',            '2001:db8::1'],
    ['"[2001:db8::1]"',               '2001:db8::1'],
    ['"2001:db8::1"',                 '2001:db8::1'],
    [' "[2001:db8::1]:80"\t',         '2001:db8::1'],
    ['[::1]',                         '::1'],
    ['[::ffff:192.0.2.1]:80',         '192.0.2.1'],
    ['fe80::1%eth0',                  'fe80::1'],
    ['fe80::1%25eth0',                'fe80::1'],
    ['FE80::1%eth0.100',              'fe80::1'],
    ['[fe80::1%br-1a2b]:80',          'fe80::1'],
    ['::ffff:192.0.2.1%eth0',         '192.0.2.1'],
  ])('cuts what surrounds the address in %j', (reported, canonical) => {
    expect(canonicalAddress(reported)).toBe(canonical)
  })

  // biome-ignore format: a table
  it.each([
    // no address
    '', ' ', '""', '[]', '[', 'unknown', '_hidden', 'localhost', 'null', 'undefined', '-', '/run/app.sock',
    // IPv4 that some parsers read as another address
    '010.0.0.1', '192.0.2.01', '0x7f.0.0.1', '0x7f000001', '2130706433', '127.1', '127.0.1', '1.2.3.4.5', '1.2.3.', '.1.2.3',
    '256.0.0.1', '1.2.3.1000', '1.2.3.-4', '+1.2.3.4', '1e2.0.0.1', '1. 2.3.4', '１.2.3.4', '1.2.3.4\n5',
    // IPv6 with too little, too much or the wrong thing
    ':', ':::', '1', '1:2', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', ':1:2:3:4:5:6:7', '1:2:3:4:5:6:7:', '1::2::3', '1:::2',
    '::1:2:3:4:5:6:7:8', '1:2:3:4::5:6:7:8', '1:2:3:4:5:6:7:8::', '2001:db8::12345', '2001:db8::g', '2001:db8::-1',
    '::ffff:192.0.2', '::ffff:192.0.2.256', '::ffff:192.0.2.01', '::ffff:0xc0.0.2.1', '::192.0.2.1:1', '192.0.2.1::',
    '1:2:3:4:5:6:7:192.0.2.1', '::ffff:192.0.2.1.5',
    // ports, brackets, quotes, zones that are none
    '192.0.2.1:', '192.0.2.1:port', '192.0.2.1:123456', '192.0.2.1:80:80', '192.0.2.1 :80', '[192.0.2.1]', '[192.0.2.1]:80',
    '192.0.2.1%eth0', '[2001:db8::1', '2001:db8::1]', '[2001:db8::1]80', '[2001:db8::1]:', '[2001:db8::1]:x', '[[::1]]',
    '"192.0.2.1', '192.0.2.1"', '""192.0.2.1""', '\'192.0.2.1\'', '" 192.0.2.1"', 'fe80::1%', '[fe80::1%]', '[::1]%eth0', '::1%a b',
    // more than one
    '192.0.2.1, 192.0.2.2', '192.0.2.1,192.0.2.2', 'fe80::1%eth0, 192.0.2.1', '2001:db8::1, ::1', 'for=192.0.2.1', '192.0.2.0/24',
  ])('finds no address in %j', (text) => {
    expect(canonicalAddress(text)).toBeUndefined()
  })

  it('finds no address in nothing and in over-long text', () => {
    expect(canonicalAddress(undefined)).toBeUndefined()
    expect(canonicalAddress(`${' '.repeat(128)}192.0.2.1`)).toBeUndefined()
    expect(canonicalAddress(`fe80::1%${'e'.repeat(1_000_000)}`)).toBeUndefined()
  })

  it('reads an address in all it can wear at once', () => {
    const spelling = ' "[0000:0000:0000:0000:0000:FFFF:203.0.113.255%a-long-interface-name]:65535" '
    expect(canonicalAddress(spelling)).toBe('203.0.113.255')
  })

  it('gives every spelling of one address its one form', () => {
    fc.assert(
      fc.property(addresses, spellings, fc.constantFrom(...dresses), (groups, how, dress) => {
        expect(canonicalAddress(dress(spell(groups, how)))).toBe(expectedForm(groups))
      }),
      { numRuns: 2000 },
    )
  })

  it('gives different addresses different forms', () => {
    fc.assert(
      fc.property(addresses, addresses, spellings, (a, b, how) => {
        fc.pre(a.join() !== b.join())
        expect(canonicalAddress(spell(a, how))).not.toBe(canonicalAddress(spell(b, how)))
      }),
    )
  })

  it('answers any text with nothing or with an address that is its own canonical form', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const canonical = canonicalAddress(text)
        if (canonical === undefined) return
        expect(isIP(canonical)).not.toBe(0)
        expect(canonicalAddress(canonical)).toBe(canonical)
      }),
      { numRuns: 5000 },
    )
  })
})

describe('addressGroups', () => {
  it('takes exactly what node:net takes for an address without a zone', () => {
    fc.assert(
      fc.property(nearAddresses, (text) => {
        expect([text, addressGroups(text) !== undefined]).toEqual([text, isIP(text) !== 0])
      }),
      { numRuns: 5000 },
    )
  })

  it('leaves nothing around an address out of account', () => {
    for (const text of ['192.0.2.1:80', ' 192.0.2.1', '[::1]', 'fe80::1%eth0', '"::1"', '::1\n']) {
      expect(addressGroups(text)).toBeUndefined()
    }
  })
})

const characters = fc.constantFrom(...'0123456789abcdefABCDEF::::....[]%"  \t,/xg')
const nearAddresses = fc
  .tuple(
    addresses,
    spellings,
    fc.nat(50),
    fc.constantFrom(0, 0, 1, 2),
    fc.constantFrom('', '', ...':.01af25g'),
  )
  .map(([groups, how, at, cut, put]) => {
    const text = isMapped(groups) && how.gap % 2 === 0 ? expectedForm(groups) : spell(groups, how)
    const start = at % (text.length + 1)
    return text.slice(0, start) + put + text.slice(start + cut)
  })
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(characters, { maxLength: 30 }).map((list) => list.join('')),
  fc
    .tuple(nearAddresses, fc.nat(50), characters)
    .map(([text, at, put]) => text.slice(0, at) + put + text.slice(at)),
)

/** What the canonical form must be, by the URL parser of Node and not by ours. */
function expectedForm(groups: readonly number[]): string {
  if (isMapped(groups)) return dottedForm(groups)
  const host = new URL(`http://[${groups.map((value) => value.toString(16)).join(':')}]`).hostname
  return host.slice(1, -1)
}
