import { IncomingMessage } from 'node:http'
import { BlockList, Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import fc from 'fast-check'
import { compileAddressList } from '../src/cidr.ts'
import { guardUpgrade } from '../src/index.ts'
import { viewOf } from '../src/request-view.ts'
import { exchangeOf } from './exchange.ts'
import { addresses, dottedForm, dresses, isMapped, spell, spellings } from './spellings.ts'

const runs = { numRuns: 500 }

const ipv4Dresses: typeof dresses = [
  (address) => address,
  (address) => `${address}:8080`,
  (address) => `"${address}"`,
  (address) => ` ${address} `,
]

/** One of the ways in which an address is reported. */
const reports = fc.record({
  how: spellings,
  plain: fc.boolean(),
  dress: fc.constantFrom(...dresses),
  ipv4Dress: fc.constantFrom(...ipv4Dresses),
})
type Report = typeof reports extends fc.Arbitrary<infer R> ? R : never

function reported(groups: readonly number[], { how, plain, dress, ipv4Dress }: Report): string {
  return plain && isMapped(groups) ? ipv4Dress(dottedForm(groups)) : dress(spell(groups, how))
}

/** Text of all kinds that may stand where an address should. */
const garbage = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  // biome-ignore format: a list of texts
  fc.constantFrom('', 'unknown', '_hidden', '-', '0.0.0.0/0', '1.2.3', '::ffff:1.2.3', '999.1.1.1', '1.2.3.4:x', '1'.repeat(9000)),
  fc.array(fc.constantFrom(...'0123456789abcf::..[]%" ,'), { maxLength: 30 }).map((all) => all.join('')),
)

function networkOf(ip: string | undefined, ipv6Prefix: number, peer = ip): string {
  return viewOf({ ...exchangeOf().facts, ip, peer }, ipv6Prefix).network
}

function bitsOf(groups: readonly number[]): bigint {
  return groups.reduce((value, group) => (value << 16n) | BigInt(group), 0n)
}

/** Whether two addresses are one client: one IPv4 address, or one network of IPv6. */
function areOne(a: readonly number[], b: readonly number[], prefix: number): boolean {
  if (isMapped(a) || isMapped(b)) return a.join() === b.join()
  return (bitsOf(a) ^ bitsOf(b)) >> BigInt(128 - prefix) === 0n
}

describe("a client's network", () => {
  // Two addresses that differ in one bit, or in nothing but how they are written.
  const pairs = fc.record({
    address: addresses,
    flipped: fc.option(fc.nat(127)),
    one: reports,
    other: reports,
  })
  const prefixes = fc.oneof(fc.constant(64), fc.integer({ min: 1, max: 128 }))

  it('is one however the address is written, and that of no other client', () => {
    const property = fc.property(pairs, prefixes, ({ address, flipped, one, other }, prefix) => {
      const second = address.map((group, i) =>
        flipped !== null && flipped >> 4 === i ? group ^ (1 << (flipped & 15)) : group,
      )
      const same = networkOf(reported(address, one), prefix) === networkOf(reported(second, other), prefix)
      expect(same).toBe(areOne(address, second, prefix))
    })
    fc.assert(property, { ...runs, numRuns: 2000 })
  })

  it('is that of the connection where what was reported is no address, and never more than an address', () => {
    const property = fc.property(garbage, garbage, (ip, peer) => {
      const alone = networkOf(ip, 64)
      expect(alone).toMatch(/^(unknown|(\d{1,3}\.){3}\d{1,3}|[\da-f:]{2,24}\/64)$/)
      expect(networkOf(ip, 64, peer)).toBe(alone === 'unknown' ? networkOf(peer, 64) : alone)
    })
    fc.assert(property, runs)
  })
})

describe('a list of addresses and networks', () => {
  const networks = fc.array(fc.record({ address: addresses, bits: fc.nat(128) }), { maxLength: 8 })

  it('holds what the BlockLists of Node hold, one for each family', () => {
    const given = fc.record({ list: networks, others: fc.array(addresses), how: spellings })
    const property = fc.property(given, ({ list, others, how }) => {
      const textOf = (groups: readonly number[]) =>
        isMapped(groups) ? dottedForm(groups) : spell(groups, how)
      const blocks = { ipv4: new BlockList(), ipv6: new BlockList() }
      const entries = list.map(({ address, bits }) => {
        const prefix = isMapped(address) ? bits % 33 : bits
        const network = textOf(cleared(address, isMapped(address) ? prefix + 96 : prefix))
        const family = familyOf(address)
        blocks[family].addSubnet(network, prefix, family)
        return `${network}/${prefix}`
      })
      const isListed = compileAddressList(entries, bad)
      const asked = [...others, ...list.map(({ address }) => address)]
      const held = asked.filter((address) =>
        blocks[familyOf(address)].check(textOf(address), familyOf(address)),
      )
      expect(asked.filter((address) => isListed(textOf(address)))).toEqual(held)
    })
    fc.assert(property, runs)
  })
})

function familyOf(groups: readonly number[]): 'ipv4' | 'ipv6' {
  return isMapped(groups) ? 'ipv4' : 'ipv6'
}

function bad(index: number, expected: string, got: string): never {
  throw new TypeError(`[${index}]: expected ${expected}, got ${JSON.stringify(got)}`)
}

function cleared(groups: readonly number[], bits: number): readonly number[] {
  return groups.map((group, i) => {
    const kept = Math.min(16, Math.max(0, bits - 16 * i))
    return group & (0xffff << (16 - kept)) & 0xffff
  })
}

describe('X-Forwarded-For of an upgrade', () => {
  const hops = fc.array(
    fc.oneof(
      garbage,
      fc
        .record({ address: addresses, report: reports })
        .map(({ address, report }) => reported(address, report)),
    ),
    { maxLength: 4 },
  )

  it('changes nothing where no proxy is trusted, and only by its last hop where one is', async () => {
    const property = fc.asyncProperty(hops, async (chain) => {
      const header = chain.join(', ')
      expect(await countedAs(header, undefined)).toBe('192.0.2.9')
      const last = networkOf(header.split(',').pop(), 64)
      expect(await countedAs(header, ['192.0.2.9'])).toBe(last === 'unknown' ? '192.0.2.9' : last)
    })
    await fc.assert(property, { ...runs, numRuns: 300 })
  })
})

/** The key under which an upgrade by way of 192.0.2.9 is counted. */
async function countedAs(forwarded: string, trustProxy: readonly string[] | undefined): Promise<string> {
  let network = ''
  const policy = fixedWindow({ limit: 9, window: '10s' })
  const key = (_: unknown, view: { network: string }) => {
    network = view.network
    return network
  }
  const logger = { warn: () => {}, error: () => {} }
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: '192.0.2.9' })
  const request = new IncomingMessage(socket)
  request.headers['x-forwarded-for'] = forwarded
  await guardUpgrade({ policy, key, trustProxy, logger })(request, new PassThrough())
  return network
}
