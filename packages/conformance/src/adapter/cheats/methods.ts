import { METHODS } from 'node:http'
import { expect } from '@jest/globals'
import { byNetwork, takenBy } from '../by-network.ts'
import { exchange, headsOf, rawRequest } from '../raw.ts'
import type { Scenario } from '../scenario.ts'
import type { Site } from '../site.ts'
import type { World } from '../world.ts'

/** All that Node's parser takes; CONNECT asks for a tunnel and reaches no framework. */
const methods = METHODS.filter((method) => method !== 'CONNECT')

const notMethods = ['get', 'GETT', 'FOO', 'G\u00c9T', '__proto__', 'GET\tHEAD']

/** Without a body a QUERY is malformed to some. */
const asked = { headers: { 'Content-Type': 'application/json' }, body: '{}' }

async function countsMethods(world: World, site: Partial<Site>): Promise<void> {
  const client = await world.open(site)
  for (const [i, method] of methods.entries()) {
    const { status } = await client.send({ method, ...(method === 'QUERY' ? asked : {}) })
    expect([method, status, await takenBy(world, '127.0.0.1')]).toEqual([method, 200, [i + 1]])
  }
  expect([world.handled, world.keys]).toEqual([methods.length, 1])
}

/** Clients that ask by another method. */
export const methodCheats: readonly Scenario[] = [
  {
    title: '37: one count for every method of a route, HEAD, OPTIONS and odd ones too',
    async run(world) {
      const limits = [byNetwork(world)]
      await countsMethods(world, { routes: [{ path: '/tickets', limits, handler: world.ok }] })
    },
  },
  {
    title: '37: one count for every method of a site',
    async run(world) {
      await countsMethods(world, { limits: [byNetwork(world)] })
    },
  },
  {
    title: '37: a field that names another method changes nothing',
    async run(world) {
      const client = await world.limited(byNetwork(world))
      for (const field of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'])
        await client.send({ method: 'POST', headers: { [field]: 'OPTIONS' } })
      expect([await takenBy(world, '127.0.0.1'), world.handled, world.keys]).toEqual([[3], 3, 1])
    },
  },
  {
    title: '37: what is no method reaches nobody',
    async run(world) {
      const client = await world.limited(byNetwork(world))
      for (const method of notMethods) {
        const [head] = headsOf(await exchange(client, rawRequest({ method })))
        expect([method, head?.status]).toEqual([method, 400])
      }
      expect([world.handled, world.keys]).toEqual([0, 0])
    },
  },
]
