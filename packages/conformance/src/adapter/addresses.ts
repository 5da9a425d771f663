import { expect } from '@jest/globals'
import { createLimiter, fixedWindow } from '@sluice/core'
import type { Scenario } from './scenario.ts'
import { type PolicyOptions, rowOf, signal, type World } from './world.ts'

const tenIn10s = fixedWindow({ limit: 10, window: '10s' })

function byAddress(world: World, more: Partial<PolicyOptions> = {}): PolicyOptions {
  return world.tickets({ key: undefined, policy: tenIn10s, ...more })
}

/** The count that each request meets whose address a trusted proxy tells. */
async function countsOf(
  world: World,
  addresses: readonly string[],
  more: Partial<PolicyOptions> = {},
): Promise<number[]> {
  const client = await world.limited(byAddress(world, more), { trust: 'one' })
  const counts: number[] = []
  for (const address of addresses) {
    const reply = await client.send({ headers: { 'X-Forwarded-For': address } })
    counts.push(10 - Number(rowOf(reply)[2]))
  }
  return counts
}

/** How much of each address's count is taken. */
async function usesOf(world: World, addresses: readonly string[]): Promise<readonly number[]> {
  const limiter = createLimiter({ policy: tenIn10s, name: 'tickets', ...world.quiet() })
  const decisions = await Promise.all(addresses.map((address) => limiter.peek(address)))
  await limiter.close()
  return decisions.map(({ remaining }) => 10 - remaining)
}

/** Who the client is when nobody says it. */
export const addresses: readonly Scenario[] = [
  {
    title: '27: an IPv4 address and the same one mapped into IPv6 are one client',
    async run(world) {
      const spellings = ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:c000:201', '192.0.2.2']
      expect(await countsOf(world, spellings)).toEqual([1, 2, 3, 1])
    },
  },
  {
    title: '28: addresses of one /64 are one client, two networks are two',
    async run(world) {
      const addresses = ['2001:db8::1', '2001:DB8:0:0:ffff::2', '2001:db8:0:1::1', '2001:db8::3']
      expect(await countsOf(world, addresses)).toEqual([1, 2, 1, 3])
    },
  },
  {
    title: '29: by /48',
    async run(world) {
      const addresses = ['2001:db8::1', '2001:db8:0:1::1', '2001:db8:1::1']
      expect(await countsOf(world, addresses, { ipv6Prefix: 48 })).toEqual([1, 2, 1])
    },
  },
  {
    title: '30: X-Forwarded-For without trust in a proxy: ignored, one warning',
    async run(world) {
      const client = await world.limited(byAddress(world))
      for (let i = 0; i < 3; i++) await client.send({ headers: { 'X-Forwarded-For': `192.0.2.${i}` } })
      expect(await usesOf(world, ['127.0.0.1', '192.0.2.0', '192.0.2.1'])).toEqual([3, 0, 0])
      expect(world.takeWarnings()).toEqual(['SLUICE_PROXY_UNTRUSTED'])
    },
  },
  {
    title: '31: behind one proxy what it has appended counts, not what the client invented',
    async run(world) {
      const client = await world.limited(byAddress(world), { trust: 'one' })
      for (let i = 0; i < 3; i++)
        await client.send({ headers: { 'X-Forwarded-For': `10.0.0.${i}, 192.0.2.1` } })
      expect(await usesOf(world, ['192.0.2.1', '10.0.0.0', '127.0.0.1'])).toEqual([3, 0, 0])
    },
  },
  {
    title:
      '32: odd forwarded addresses: a port is cut, what is no address counts as the proxy, never an error',
    async run(world) {
      const client = await world.limited(byAddress(world), { trust: 'one' })
      // biome-ignore format: a table
      const rows = [
        // forwarded                   counted as
        ['1.2.3.4:5678',               '1.2.3.4'],
        ['"[2001:db8::1]:80"',         '2001:db8::/64'],
        ['[2001:db8:0:1::1]',          '2001:db8:0:1::/64'],
        ['2001:db8:0:2::1%eth0',       '2001:db8:0:2::/64'],
        ['unknown',                    '127.0.0.1'],
        ['_hidden',                    '127.0.0.1'],
        ['999.1.1.1',                  '127.0.0.1'],
        ['',                           '127.0.0.1'],
        ['x'.repeat(4000),             '127.0.0.1'],
      ] as const
      for (const [forwarded, network] of rows) {
        const [before] = await usesOf(world, [network])
        const { status } = await client.send({ headers: { 'X-Forwarded-For': forwarded } })
        const [after] = await usesOf(world, [network])
        expect([forwarded, status, Number(after) - Number(before)]).toEqual([forwarded, 200, 1])
      }
    },
  },
  {
    title: '33: whatever X-Forwarded-For says is believed: one warning',
    async run(world) {
      const client = await world.limited(byAddress(world), { trust: 'all' })
      for (let i = 0; i < 3; i++) {
        const { headers } = await client.send({ headers: { 'X-Forwarded-For': `192.0.2.${i}, 10.0.0.1` } })
        expect(headers['x-ratelimit-remaining']).toBe('9')
      }
      expect(world.takeWarnings()).toEqual(['SLUICE_TRUST_ALL'])
    },
  },
  {
    title: '34: a unix socket: one key for all, one warning',
    async run(world) {
      const client = await world.limited(byAddress(world), { listen: { path: world.socketPath() } })
      expect((await client.crowd(3)).map(({ status }) => status)).toEqual([200, 200, 200])
      expect(await usesOf(world, ['unknown'])).toEqual([3])
      expect(world.takeWarnings()).toEqual(['SLUICE_NO_ADDRESS'])
    },
  },
  {
    title: '34: behind a proxy on a unix socket, its clients are told apart',
    async run(world) {
      const client = await world.limited(byAddress(world), {
        listen: { path: world.socketPath() },
        trust: 'one',
      })
      for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.1'])
        await client.send({ headers: { 'X-Forwarded-For': address } })
      expect(await usesOf(world, ['192.0.2.1', '192.0.2.2', 'unknown'])).toEqual([2, 1, 0])
    },
  },
  {
    title: '34: the address is gone after an abort: still charged, no error',
    async run(world) {
      const gone = signal()
      const decided = signal<unknown>()
      const observers = [{ decided: ({ key }: { key: unknown }) => decided.done(key) }]
      const client = await world.limited(world.tickets({ key: undefined, observers }), {
        first: async ({ raw }) => {
          raw.once('close', () => gone.done())
          request.destroy()
          await gone.promise
        },
      })
      const request = client.open()
      request.on('error', () => {})
      expect(['unknown', '127.0.0.1']).toContain(await decided.promise)
      world.takeWarnings()
    },
  },
]
