import { describe, expect, it } from '@jest/globals'
import type { ListName } from '@sluice/core'
import fc from 'fast-check'
import { type Entry, ListTable, readEntry } from '../../src/list-table.ts'

const clockAt = (us: number) => ({ nowUs: () => us })
const lists = ['deny', 'block', 'allow'] as const

/** The bits of an IPv4 address, so that networks are compared as texts. */
function bitsOf(address: string): string {
  return address
    .split('.')
    .map((byte) => Number(byte).toString(2).padStart(8, '0'))
    .join('')
}

function holds(network: string, address: string): boolean {
  const [first = '', length = '32'] = network.split('/')
  return bitsOf(address).startsWith(bitsOf(first).slice(0, Number(length)))
}

/** The rule once more, without any index: the first list in order that has an entry; of its entries the last end. */
function naive(entries: readonly Entry[], about: { address: string; limiter: string; nowUs: number }) {
  const { address, limiter, nowUs } = about
  for (const list of lists) {
    const ends = entries
      .filter((entry) => entry.list === list && entry.endsAtUs > nowUs)
      .filter((entry) => entry.limiter === undefined || entry.limiter === limiter)
      .filter((entry) => entry.network !== undefined && holds(entry.network, address))
      .map((entry) => entry.endsAtUs)
    if (ends.length > 0) return { list, endsInMs: Math.ceil((Math.max(...ends) - nowUs) / 1000) }
  }
  return undefined
}

// Few addresses, so that many entries meet them.
const address = fc
  .tuple(fc.constantFrom(10, 11), fc.nat(1), fc.nat(1), fc.nat(7))
  .map((bytes) => bytes.join('.'))
const network = fc.tuple(address, fc.nat(32)).map(([text, bits]) => {
  const kept = bitsOf(text).slice(0, bits).padEnd(32, '0')
  const bytes = [0, 8, 16, 24].map((at) => Number.parseInt(kept.slice(at, at + 8), 2))
  return bits === 32 ? bytes.join('.') : `${bytes.join('.')}/${bits}`
})
const limiter = fc.constantFrom(undefined, 'login', 'search')
const entry = fc.record({
  list: fc.constantFrom<ListName>(...lists),
  network,
  key: fc.constant(undefined),
  limiter,
  endsAtUs: fc.nat(100_000),
})

describe('ListTable', () => {
  it('answers as a walk through all entries does', () => {
    const asked = fc.record({ address, limiter: fc.constantFrom('login', 'search'), nowUs: fc.nat(100_000) })
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 30 }), fc.array(asked, { maxLength: 10 }), (entries, all) => {
        for (const about of all) {
          const table = new ListTable(entries, clockAt(about.nowUs))
          expect(table.ofAddress(about.address, about.limiter)).toEqual(naive(entries, about))
        }
      }),
    )
  })

  // biome-ignore format: a table
  it.each([
    // written                inside                                  outside
    ['2001:db8::/32',         ['2001:db8::1', '2001:db8:ffff::'],     ['2001:db9::', '192.0.2.1']],
    ['::ffff:192.0.2.1',      ['192.0.2.1', '::ffff:192.0.2.1'],      ['::c000:201']],
    ['2001:DB8:0::7',         ['2001:db8::7'],                        ['2001:db8::8']],
    ['::/0',                  ['::', 'ffff::'],                       ['192.0.2.1']],
    ['0.0.0.0/0',             ['192.0.2.1'],                          ['::']],
  ])('%s holds what lies in it', (written, inside, outside) => {
    const table = new ListTable([{ ...readEntry({ list: 'deny', address: written }, ''), endsAtUs: 2 }], clockAt(1))
    for (const each of inside) expect(table.ofAddress(each, 'any')?.list).toBe('deny')
    for (const each of outside) expect(table.ofAddress(each, 'any')).toBeUndefined()
  })

  it('a key that reads as an address is refused with its network, and never let pass with it', () => {
    const entryOf = (list: ListName) => ({ ...readEntry({ list, address: '192.0.2.0/24' }, ''), endsAtUs: 2 })
    expect(new ListTable([entryOf('block')], clockAt(1)).ofKey('192.0.2.7', 'any')?.list).toBe('block')
    expect(new ListTable([entryOf('allow')], clockAt(1)).ofKey('192.0.2.7', 'any')).toBeUndefined()
  })

  it('a list of texts as a key is another key than its members joined', () => {
    const table = new ListTable(
      [{ ...readEntry({ list: 'deny', key: ['a', 'b'] }, ''), endsAtUs: 2 }],
      clockAt(1),
    )
    expect(table.ofKey(['a', 'b'], 'any')?.list).toBe('deny')
    expect(table.ofKey('a,b', 'any')).toBeUndefined()
  })

  // biome-ignore format: a table
  it.each([
    [{ list: 'ban', address: '192.0.2.1' },              'list'],
    [{ list: 'deny' },                                   'address'],
    [{ list: 'deny', address: '192.0.2.1', key: 'a' },   'address'],
    [{ list: 'deny', address: '192.0.2.1/24' },          'address'],
    [{ list: 'deny', address: 7 },                       'address'],
    [{ list: 'deny', key: '' },                          'key'],
    [{ list: 'deny', key: 'a', limiter: '' },            'limiter'],
  ])('%j is refused by the path %s', (fields, path) => {
    expect(() => readEntry(fields, '')).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }))
  })
})
