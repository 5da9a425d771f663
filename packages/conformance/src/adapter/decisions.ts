import { expect } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import type { Scenario } from './scenario.ts'
import type { Handler } from './site.ts'
import { rowOf } from './world.ts'

const tenIn10s = fixedWindow({ limit: 10, window: '10s' })

/** What a request carries of the decisions about it. */
export const decisions: readonly Scenario[] = [
  {
    title: '44: the decision on the request: the binding one of all limiters',
    async run(world) {
      const seen: (string | undefined)[] = []
      const handler: Handler = ({ decision, send }) => {
        seen.push(decision?.limiter)
        send(200, String(decision?.remaining))
      }
      const wide = world.tickets({ name: 'wide', policy: tenIn10s })
      const tight = world.tickets({ name: 'tight' })
      for (const limits of [
        [wide, tight],
        [tight, wide],
      ]) {
        const client = await world.open({ limits, routes: [{ handler }] })
        expect((await client.send({ by: String(limits[0]?.name) })).body).toBe('1')
      }
      expect(seen).toEqual(['tight', 'tight'])
    },
  },
  {
    title: '44: each middleware knows its own decision, its keys and its limiter',
    async run(world) {
      const wide = world.tickets({ name: 'wide', policy: tenIn10s })
      const tight = world.tickets({ name: 'tight' })
      const handler: Handler = async ({ request, send }) => {
        const own = [wide, tight].map((options) => world.handleOf(options).decisionFor(request)?.remaining)
        const keys = await Promise.all([wide, tight].map((options) => world.handleOf(options).keyOf(request)))
        send(200, JSON.stringify([own, keys]))
      }
      const client = await world.open({ limits: [wide, tight], routes: [{ handler }] })
      expect(JSON.parse((await client.send()).body)).toEqual([
        [9, 1],
        ['bob', 'bob'],
      ])
      expect((await client.send()).status).toBe(200)
      expect((await client.send()).status).toBe(429)
      await world.handleOf(tight).limiter.reset('bob')
      expect((await client.send()).status).toBe(200)
    },
  },
  {
    title: '44: an error handler sees the decision that refused',
    async run(world) {
      const client = await world.limited(world.tickets({ refuseBy: 'error' }), {
        onError: (_, { decision, send }) => send(429, String(decision?.reason)),
      })
      await client.crowd(2)
      expect((await client.send()).body).toBe('limited')
    },
  },
  {
    title: '45: the same limiter twice on the way of one request: counted once',
    async run(world) {
      const options = world.tickets({ headers: { draft: true } })
      const client = await world.open({ limits: [options, options] })
      const replies = [await client.send(), await client.send(), await client.send()]
      expect(replies.map(rowOf)).toEqual([
        [200, '2', '1', '10', undefined],
        [200, '2', '0', '10', undefined],
        [429, '2', '0', '10', '10'],
      ])
      expect(replies[0]?.headers.ratelimit).toBe('"tickets";r=1;t=10')
      expect(world.handled).toBe(2)
    },
  },
]
