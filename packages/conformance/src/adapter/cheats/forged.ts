import { expect } from '@jest/globals'
import { guardUpgrade } from '@sluice/http'
import { byNetwork, takenBy } from '../by-network.ts'
import { exchange, headsOf, rawRequest, upgradeRequest } from '../raw.ts'
import type { Scenario } from '../scenario.ts'
import { addressFields, forgedValues } from './forgeries.ts'

const [listed, ...others] = addressFields

/** Every forgery in the field that a proxy appends to, and in one of the others, each in turn. What it would append stands behind. */
function forgedSets(appended: string): readonly Readonly<Record<string, string>>[] {
  return forgedValues.flatMap((value, i) => {
    const field = others[i % others.length] ?? listed
    if (appended === '') return [{ [listed]: value }, { [field]: value }]
    return [{ [listed]: `${value}, ${appended}` }, { [field]: value, [listed]: appended }]
  })
}

/** Clients that say who they are. */
export const forged: readonly Scenario[] = [
  {
    title: '30: nothing that a client writes of its address makes a new count, one warning',
    async run(world) {
      const client = await world.limited(byNetwork(world))
      const sets = forgedSets('')
      for (const headers of sets) expect((await client.send({ headers })).status).toBe(200)
      expect(await takenBy(world, '127.0.0.1')).toEqual([sets.length])
      expect(world.keys).toBe(1)
      expect(world.takeWarnings()).toEqual(['SLUICE_PROXY_UNTRUSTED'])
    },
  },
  {
    title: '31: behind one proxy what it has appended counts, whatever the client invented in front of it',
    async run(world) {
      const client = await world.limited(byNetwork(world), { trust: 'one' })
      const sets = forgedSets('198.51.100.1')
      for (const headers of sets) expect((await client.send({ headers })).status).toBe(200)
      expect(await takenBy(world, '198.51.100.1')).toEqual([sets.length])
      expect(world.keys).toBe(1)
    },
  },
  {
    title: '31: so it is where the invented entry stands on a line of its own',
    async run(world) {
      const client = await world.limited(byNetwork(world), { trust: 'one' })
      const values = forgedValues.filter((value) => value.length < 1000)
      for (const value of values) {
        const fields = [`X-Forwarded-For: ${value}`, 'X-Forwarded-For: 198.51.100.1']
        expect(headsOf(await exchange(client, rawRequest({ fields })))[0]?.status).toBe(200)
      }
      expect(await takenBy(world, '198.51.100.1')).toEqual([values.length])
      expect(world.keys).toBe(1)
    },
  },
  {
    title:
      '32: odd forwarded addresses: a port is cut, what is no address counts as the proxy, never an error',
    async run(world) {
      const client = await world.limited(byNetwork(world), { trust: 'one' })
      // biome-ignore format: a table
      const rows = [
        // forwarded                   counted as
        ['1.2.3.4:567',                '1.2.3.4'],
        ['"[2001:db8::1]:80"',         '2001:db8::/64'],
        ['[::1]:80',                   '::/64'],
        ['[2001:db8:0:1::1]',          '2001:db8:0:1::/64'],
        ['2001:db8:0:2::1%eth0',       '2001:db8:0:2::/64'],
        ['unknown',                    '127.0.0.1'],
        ['_hidden',                    '127.0.0.1'],
        ['for=192.0.2.60',             '127.0.0.1'],
        ['999.1.1.1',                  '127.0.0.1'],
        ['192.0.2.1 192.0.2.2',        '127.0.0.1'],
        ['',                           '127.0.0.1'],
        ['\u00d9\u00a3.1.1.1',         '127.0.0.1'],
        ['x'.repeat(8192),             '127.0.0.1'],
      ] as const
      for (const [forwarded, network] of rows) {
        const [before] = await takenBy(world, network)
        const { status } = await client.send({ headers: { 'X-Forwarded-For': forwarded } })
        const [after] = await takenBy(world, network)
        expect([forwarded, status, Number(after) - Number(before)]).toEqual([forwarded, 200, 1])
      }
      expect(world.keys).toBe(new Set(rows.map(([, network]) => network)).size)
    },
  },
  {
    title: '32: empty members of X-Forwarded-For: skipped or no address, never an error',
    async run(world) {
      const client = await world.limited(byNetwork(world), { trust: 'one' })
      const lists = ['192.0.2.1,', '192.0.2.1, , ', ',', ' , , ', ',,192.0.2.1']
      for (const list of lists) {
        expect((await client.send({ headers: { 'X-Forwarded-For': list } })).status).toBe(200)
      }
      const [named = 0, proxy = 0] = await takenBy(world, '192.0.2.1', '127.0.0.1')
      expect([named + proxy, world.keys]).toEqual([lists.length, 2])
      // Koa names the connection's address for an empty member, as it does where it believes nobody.
      world.takeWarnings()
    },
  },
  {
    title: '50: nor does it for an upgrade, behind a trusted proxy or not',
    async run(world) {
      const client = await world.open({})
      let guard = guardUpgrade({ ...byNetwork(world), settle: undefined })
      world.running.server.on('upgrade', async (request, socket) => {
        if (await guard(request, socket)) socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n')
      })
      for (const appended of ['', '198.51.100.1']) {
        const sets = forgedSets(appended)
        for (const set of sets) {
          const fields = Object.entries(set).map(([name, value]) => `${name}: ${value}`)
          expect(await exchange(client, upgradeRequest({ fields }))).toMatch(/^HTTP\/1\.1 101 /)
        }
        expect(await takenBy(world, appended || '127.0.0.1')).toEqual([sets.length])
        guard = guardUpgrade({ ...byNetwork(world), settle: undefined, trustProxy: ['127.0.0.1'] })
      }
      expect(world.keys).toBe(2)
      expect(world.takeWarnings()).toEqual(['SLUICE_PROXY_UNTRUSTED'])
    },
  },
]
