import { expect } from '@jest/globals'
import { countsBehindProxy } from '../by-network.ts'
import type { Scenario } from '../scenario.ts'

const ipv4Client = [
  '192.0.2.1',
  '192.0.2.1:8080',
  '::ffff:192.0.2.1',
  '::FFFF:192.0.2.1',
  '::ffff:c000:201',
  '::FFFF:C000:0201',
  '0:0:0:0:0:ffff:c000:0201',
  '0000:0000:0000:0000:0000:FFFF:192.0.2.1',
  '0::0:ffff:192.0.2.1',
  '[::ffff:192.0.2.1]',
  '[::ffff:c000:201]:443',
  '::ffff:192.0.2.1%eth0',
  '"192.0.2.1"',
]

const ipv6Client = [
  '2001:db8::a00:1',
  '2001:DB8::A00:1',
  '2001:0db8:0000:0000:0000:0000:0a00:0001',
  '2001:db8:0:0::a00:1',
  '2001:db8::10.0.0.1',
  '[2001:db8::a00:1]',
  '[2001:db8::a00:1]:443',
  '2001:db8::a00:1%eth0',
  '2001:db8::a00:1%25eth0',
]

/** So many addresses of 2001:db8:7:7::/64, no two alike. */
function rotation(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => {
    const step = (i * 2_654_435_761) % 2 ** 32
    const groups = [i, step >>> 16, step & 0xffff, i ^ 0xffff].map((group) => group.toString(16))
    return `2001:db8:7:7:${groups.join(':')}`
  })
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

/** Clients that write one address in many ways, or have many addresses. */
export const spellings: readonly Scenario[] = [
  {
    title: '27: an IPv4 client in every notation is one client, two mapped clients are two',
    async run(world) {
      const addresses = [...ipv4Client, '::ffff:192.0.2.2', '::ffff:c000:203', '::ffff:192.0.2.1']
      expect(await countsBehindProxy(world, addresses)).toEqual([
        ...upTo(ipv4Client.length),
        1,
        1,
        ipv4Client.length + 1,
      ])
      expect(world.keys).toBe(3)
    },
  },
  {
    title: '28: an IPv6 address in every notation is one client',
    async run(world) {
      expect(await countsBehindProxy(world, ipv6Client, { ipv6Prefix: 128 })).toEqual(upTo(ipv6Client.length))
    },
  },
  {
    title: '28: a rotation through a /64 is one client, the next /64 is another',
    async run(world) {
      const inside = [...rotation(50), '2001:db8:7:7::', '2001:db8:7:7:ffff:ffff:ffff:ffff']
      expect(new Set(inside).size).toBe(52)
      const outside = ['2001:db8:7:8::', '2001:db8:7:6:ffff:ffff:ffff:ffff']
      expect(await countsBehindProxy(world, [...inside, ...outside])).toEqual([...upTo(52), 1, 1])
    },
  },
  {
    title: '29: by /48',
    async run(world) {
      const addresses = ['2001:db8::1', '2001:db8:0:1::1', '2001:db8:1::1']
      expect(await countsBehindProxy(world, addresses, { ipv6Prefix: 48 })).toEqual([1, 2, 1])
    },
  },
]
