import { expect } from '@jest/globals'
import type { Observed } from '@sluice/core'
import { byNetwork, takenBy } from './by-network.ts'
import type { Scenario } from './scenario.ts'
import type { Options, Site } from './site.ts'
import type { World } from './world.ts'

/** What proxies add besides X-Forwarded-For, which is all that frameworks read. */
// biome-ignore format: a list of fields
const proxyFields: Readonly<Record<string, string>> = {
  Forwarded: 'for=192.0.2.1', 'X-Real-IP': '192.0.2.1', 'CF-Connecting-IP': '192.0.2.1', 'True-Client-IP': '192.0.2.1',
  'Fly-Client-IP': '192.0.2.1', 'X-Client-IP': '192.0.2.1', 'X-Azure-ClientIP': '192.0.2.1', 'Fastly-Client-IP': '192.0.2.1',
  'X-Forwarded-Host': 'zoo.example', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Port': '443', 'X-Vercel-Forwarded-For': '192.0.2.1',
}

/** One limiter for all proxies without a word: what `warned` advises is set, and then its clients are counted apart. */
async function followAdvice(world: World, site: Partial<Site> = {}): Promise<void> {
  world.takeWarnings()
  const client = await world.limited(byNetwork(world), { ...site, trust: { advice: world.lastWarning } })
  const before = await takenBy(world, '198.51.100.1', '198.51.100.2')
  for (const address of ['198.51.100.1', '198.51.100.2', '198.51.100.1'])
    await client.send({ headers: { 'X-Forwarded-For': address, ...proxyFields } })
  const after = await takenBy(world, '198.51.100.1', '198.51.100.2')
  expect(after.map((taken, i) => taken - (before[i] ?? 0))).toEqual([2, 1])
  expect(world.takeWarnings()).toEqual([])
}

/** Who the client is when nobody says it. */
export const addresses: readonly Scenario[] = [
  {
    title: '44: each middleware that counts by network warns once of an address that is reset or blocked',
    async run(world) {
      const options = byNetwork(world)
      await world.limited(options)
      const { limiter } = world.handleOf(options)
      for (const key of ['192.0.2.1', '2001:db8:1:2::/64', '2002:c000:204::/48', 'bob', 'keyless:::1', 7]) {
        await limiter.reset(key)
      }
      await limiter.unblock(['2001:db8::1', 'bob'])
      expect(world.takeWarnings()).toEqual([])
      // An address, one in another spelling, networks of another length or spelling.
      for (const key of ['2001:db8::1', '::ffff:192.0.2.1', '2001:db8::/56', '2001:DB8::/64']) {
        await limiter.reset(key)
        await limiter.block(key, '1s')
        await limiter.unblock(key)
      }
      expect(world.takeWarnings()).toEqual(['SLUICE_NOT_A_NETWORK'])
      expect(world.lastWarning).toContain('networkOf(address)')
      expect(world.lastWarning).not.toContain('2001')
    },
  },
  // biome-ignore format: a table
  ...([
    // what counts                              key                  warnings
    ['networks',                {},             '2001:db8::1',       ['SLUICE_NOT_A_NETWORK']],
    ['networks',                {},             '2001:db8::/64',     []],
    ['networks of 56 bits',     { ipv6Prefix: 56 }, '2001:db8::/64', ['SLUICE_NOT_A_NETWORK']],
    ['networks of 56 bits',     { ipv6Prefix: 56 }, '2001:db8::/56', []],
    ['what a key function says', { key: () => 'bob' }, '2001:db8::1', []],
  ] as const).map(([what, more, key, warnings]): Scenario => ({
    title: `an act elsewhere on ${key} of a limiter that counts ${what}: ${warnings.length} warnings`,
    async run(world) {
      const opened: Observed[] = []
      const observers = [{ limiterOpened: (limiter: Observed) => void opened.push(limiter) }]
      await world.limited(byNetwork(world, { observers, ...more }))
      for (const limiter of opened)
        limiter.relay?.({ act: 'reset', limiter: 'tickets', policies: [], key, atMs: 0 }, new Set())
      expect(world.takeWarnings()).toEqual(warnings)
    },
  })),
  {
    title: '33: whatever X-Forwarded-For says is believed: one warning',
    async run(world) {
      const client = await world.limited(byNetwork(world), { trust: 'all' })
      for (let i = 0; i < 3; i++) {
        const { headers } = await client.send({ headers: { 'X-Forwarded-For': `192.0.2.${i}, 10.0.0.1` } })
        expect(headers['x-ratelimit-remaining']).toBe('1999')
      }
      expect(world.takeWarnings()).toEqual(['SLUICE_TRUST_ALL'])
      await followAdvice(world)
    },
  },
  {
    title: '33: so an allow list may be passed by anybody: one warning',
    async run(world) {
      const options = { ...byNetwork(world), allowList: ['10.0.0.0/8'] } as Options
      const client = await world.limited(options, { trust: 'all' })
      const { headers } = await client.send({ headers: { 'X-Forwarded-For': '10.0.0.1' } })
      expect(headers['x-ratelimit-remaining']).toBe(undefined)
      expect(world.takeWarnings()).toEqual(['SLUICE_TRUST_ALL'])
    },
  },
  {
    title: 'X-Forwarded-For of a proxy that is not trusted: one warning, whose advice helps',
    async run(world) {
      const client = await world.limited(byNetwork(world))
      for (let i = 0; i < 3; i++) await client.send({ headers: { 'X-Forwarded-For': `198.51.100.${i}` } })
      expect(await takenBy(world, '127.0.0.1')).toEqual([3])
      expect(world.takeWarnings()).toEqual(['SLUICE_PROXY_UNTRUSTED'])
      await followAdvice(world)
    },
  },
  ...Object.entries(proxyFields).map(([field, value]) => ({
    title: `${field} of a proxy that sends no X-Forwarded-For: one warning that names it, whose advice helps`,
    async run(world: World) {
      const client = await world.limited(byNetwork(world))
      for (let i = 0; i < 3; i++) await client.send({ headers: { [field]: value } })
      expect(await takenBy(world, '127.0.0.1')).toEqual([3])
      expect(world.lastWarning).toContain(`carries ${field}, which is not read`)
      expect(world.takeWarnings()).toEqual(['SLUICE_PROXY_UNTRUSTED'])
      await followAdvice(world)
    },
  })),
  {
    title: '34: a unix socket: one key for all, one warning',
    async run(world) {
      const client = await world.limited(byNetwork(world), { listen: { path: world.socketPath() } })
      expect((await client.crowd(3)).map(({ status }) => status)).toEqual([200, 200, 200])
      expect(await takenBy(world, 'unknown')).toEqual([3])
      expect(world.takeWarnings()).toEqual(['SLUICE_NO_ADDRESS'])
    },
  },
  {
    title: '34: behind a proxy on a unix socket, what the warning advises helps',
    async run(world) {
      const site = { listen: { path: world.socketPath() } }
      await (await world.limited(byNetwork(world), site)).crowd(1)
      await world.running.close()
      await followAdvice(world, { listen: { path: world.socketPath() } })
    },
  },
  {
    title: '34: behind a proxy on a unix socket, its clients are counted apart',
    async run(world) {
      const client = await world.limited(byNetwork(world), {
        listen: { path: world.socketPath() },
        trust: 'one',
      })
      for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.1'])
        await client.send({ headers: { 'X-Forwarded-For': address } })
      expect(await takenBy(world, '192.0.2.1', '192.0.2.2', 'unknown')).toEqual([2, 1, 0])
    },
  },
]
