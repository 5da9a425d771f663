import { expect } from '@jest/globals'
import { byNetwork, takenBy } from '../by-network.ts'
import type { Client } from '../client.ts'
import { exchange, headsOf, rawRequest } from '../raw.ts'
import type { Scenario } from '../scenario.ts'
import { type PolicyOptions, xRemaining } from '../world.ts'

/** Ways to ask for /zoo/tigers, and near misses: which of them lead there is for the framework to say. */
const targets: readonly string[] = [
  '/zoo/tigers',
  '/ZOO/TIGERS',
  '/Zoo/tIgers',
  '/zoo/tigers/',
  '/zoo/tigers//',
  '//zoo/tigers',
  '///zoo///tigers',
  '/zoo//tigers',
  '/./zoo/tigers',
  '/zoo/./tigers',
  '/x/../zoo/tigers',
  '/zoo/lions/../tigers',
  '/../zoo/tigers',
  '/zoo/%74igers',
  '/%7aoo/tigers',
  '/%7Aoo/%54IGERS',
  '/zoo%2ftigers',
  '/zoo/tigers%2f',
  '/zoo/%2e/tigers',
  '/x/%2e%2e/zoo/tigers',
  '/zoo/%2574igers',
  '/zoo/tigers%00',
  '/zoo/tigers%0d%0a',
  '/zoo/tigers%20',
  '/zoo/%zz',
  '/zoo/%ff',
  '/zoo/%c0%ae',
  '/zoo/tigers?',
  '/zoo/tigers?x=1',
  '/zoo/tigers?/../lions',
  '/zoo/tigers#top',
  '/zoo/tigers;v=1',
  '/zoo/tigers\\',
  '\\zoo\\tigers',
  '/zoo\\tigers',
  '/zoo/ti\u00e9gers',
  'http://zoo/zoo/tigers',
  'HTTP://ZOO:80/zoo/tigers?x=1',
  'https://eve:secret@elsewhere/zoo/tigers',
  'http://zoo',
  'zoo/tigers',
  '*',
]

/** Spellings that a handler has answered, and whether a limiter has seen them. */
export async function answeredSpellings(client: Client): Promise<readonly (readonly [string, boolean])[]> {
  const answered: (readonly [string, boolean])[] = []
  for (const target of targets) {
    const [head] = headsOf(await exchange(client, rawRequest({ target })))
    if (head?.status === 200) answered.push([target, xRemaining in head.fields])
  }
  return answered
}

/** Clients that spell a path otherwise. */
export const pathCheats: readonly Scenario[] = [
  {
    title: '38: however the path is spelt, one count by the matched route',
    async run(world) {
      const key: PolicyOptions['key'] = (_: object, view: { route: string | undefined }) => view.route
      const limits = [byNetwork(world, { key })]
      const client = await world.open({ routes: [{ path: '/zoo/:animal', limits }] })
      for (const target of targets) {
        const [head] = headsOf(await exchange(client, rawRequest({ target })))
        expect([target, head?.status]).toEqual([target, expect.any(Number)])
        expect([target, await takenBy(world, '/zoo/:animal')]).toEqual([target, [world.handled]])
      }
      expect([world.keys, world.handled]).toEqual([1, expect.any(Number)])
      expect(world.handled).toBeGreaterThanOrEqual(10)
    },
  },
  {
    title: '38: ahead of the routes whatever spelling reaches a handler has been counted',
    async run(world) {
      const client = await world.open({
        limits: [byNetwork(world)],
        routes: [{ path: '/zoo/:animal' }, { path: '/zoo/tigers/' }],
      })
      let handled = 0
      for (const target of targets) {
        const before = await takenBy(world, '127.0.0.1')
        await exchange(client, rawRequest({ target }))
        const [taken] = await takenBy(world, '127.0.0.1')
        const served = world.handled - handled
        handled = world.handled
        expect([target, Number(taken) - Number(before) >= served]).toEqual([target, true])
      }
      expect(world.keys).toBe(1)
      expect(handled).toBeGreaterThanOrEqual(10)
    },
  },
]
