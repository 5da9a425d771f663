import { expect } from '@jest/globals'
import { byNetwork, takenBy } from './by-network.ts'
import type { Scenario } from './scenario.ts'
import type { Options } from './site.ts'

/** Who the client is when nobody says it. */
export const addresses: readonly Scenario[] = [
  {
    title: '33: whatever X-Forwarded-For says is believed: one warning',
    async run(world) {
      const client = await world.limited(byNetwork(world), { trust: 'all' })
      for (let i = 0; i < 3; i++) {
        const { headers } = await client.send({ headers: { 'X-Forwarded-For': `192.0.2.${i}, 10.0.0.1` } })
        expect(headers['x-ratelimit-remaining']).toBe('1999')
      }
      expect(world.takeWarnings()).toEqual(['SLUICE_TRUST_ALL'])
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
    title: '34: a unix socket: one key for all, one warning',
    async run(world) {
      const client = await world.limited(byNetwork(world), { listen: { path: world.socketPath() } })
      expect((await client.crowd(3)).map(({ status }) => status)).toEqual([200, 200, 200])
      expect(await takenBy(world, 'unknown')).toEqual([3])
      expect(world.takeWarnings()).toEqual(['SLUICE_NO_ADDRESS'])
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
