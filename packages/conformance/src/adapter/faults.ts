import net, { type AddressInfo } from 'node:net'
import { expect } from '@jest/globals'
import { fixedWindow, guardedStore, redisStore, type Store } from '@sluice/core'
import type { Scenario } from './scenario.ts'
import type { Handler, Options } from './site.ts'
import { rowOf, type World } from './world.ts'

const deadline = '40ms'

/** A server that takes connections and does as `treat` says with them. */
async function serverThat(world: World, treat: (socket: net.Socket) => void): Promise<number> {
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    treat(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  world.later(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port // it listens on a port
}

/** Stores that cannot answer, each in its way. */
const away: { readonly [name: string]: (world: World) => Promise<Store> } = {
  'a Redis server that never answers': async (world) => {
    const port = await serverThat(world, () => {})
    return redisStore(`redis://127.0.0.1:${port}`, { deadline, connectDeadline: deadline })
  },
  'a Redis server that hangs up': async (world) => {
    const port = await serverThat(world, (socket) => socket.destroy())
    return redisStore(`redis://127.0.0.1:${port}`, { deadline })
  },
  'a store that rejects': async () => guardedStore(rejecting, { deadline }),
}

const rejecting: Store = {
  name: 'mine',
  answer: async () => {
    throw new Error('no answer')
  },
  adjust: async () => {
    throw new Error('no answer')
  },
  manage: async () => {
    throw new Error('no answer')
  },
  close: async () => {},
}

async function storeAway(world: World, make: (world: World) => Promise<Store>): Promise<Store> {
  const store = await make(world)
  world.later(() => store.close())
  return store
}

const sourceOf: Handler = ({ decision, send }) => send(200, String(decision?.source))

export const faults: readonly Scenario[] = Object.entries(away).flatMap(([name, make]): Scenario[] => [
  {
    title: `25: ${name}, 'deny': 503 with a wait and no number`,
    async run(world) {
      const store = await storeAway(world, make)
      const client = await world.limited(
        world.tickets({ store, onStoreFailure: 'deny', headers: { draft: true } }),
      )
      for (let i = 0; i < 5; i++) {
        const reply = await client.send()
        expect(rowOf(reply)).toEqual([503, undefined, undefined, undefined, '1'])
        expect([reply.headers.ratelimit, reply.headers['ratelimit-policy']]).toEqual([undefined, undefined])
        expect(reply.headers['cache-control']).toBe('no-store')
        expect(JSON.parse(reply.body)).toEqual({
          type: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
          title: 'Request cannot be satisfied due to temporary server capacity constraints',
          status: 503,
          detail: 'The service cannot take this request now: try again in 1 second.',
          'violated-policies': ['tickets'],
          reason: 'store-unavailable',
          retryAfter: 1,
        })
      }
      expect(world.handled).toBe(0)
    },
  },
  {
    title: `26: ${name}, 'allow': served, and no number is claimed`,
    async run(world) {
      const store = await storeAway(world, make)
      const options = world.tickets({ store, onStoreFailure: 'allow', headers: { draft: true } })
      const client = await world.open({ limits: [options], routes: [{ handler: sourceOf }] })
      for (let i = 0; i < 5; i++) {
        const reply = await client.send()
        expect([...rowOf(reply), reply.body]).toEqual([
          200,
          undefined,
          undefined,
          undefined,
          undefined,
          'none',
        ])
        expect([reply.headers.ratelimit, reply.headers['ratelimit-policy']]).toEqual([undefined, undefined])
      }
    },
  },
  {
    title: `26: ${name}, 'local': the numbers of the local count`,
    async run(world) {
      const store = await storeAway(world, make)
      const options = world.tickets({ store, policy: fixedWindow({ limit: 2, window: '1h' }) })
      const client = await world.open({ limits: [options], routes: [{ handler: sourceOf }] })
      const replies = [await client.send(), await client.send(), await client.send()]
      expect(replies.map(rowOf)).toEqual([
        [200, '2', '1', '3600', undefined],
        [200, '2', '0', '3600', undefined],
        [429, '2', '0', '3600', '3600'],
      ])
      expect(replies.map(({ body }) => body).slice(0, 2)).toEqual(['fallback', 'fallback'])
    },
  },
  {
    title: `26: ${name}, a choice for each policy: only what is known is sent`,
    async run(world) {
      const store = await storeAway(world, make)
      const client = await world.limited(
        world.office({
          store,
          policies: {
            visitor: fixedWindow({ limit: 5, window: '1h' }),
            attraction: fixedWindow({ limit: 2, window: '1h' }),
          },
          onStoreFailure: { visitor: 'local', attraction: 'allow' },
          headers: { draft: true },
        } as Parameters<World['office']>[0]),
      )
      const reply = await client.send()
      expect(rowOf(reply)).toEqual([200, '5', '4', '3600', undefined])
      expect(reply.headers.ratelimit).toBe('"tickets.visitor";r=4;t=3600')
    },
  },
])

export const unguarded: Scenario = {
  title: 'a store of your own that rejects, without a guard around it: the error handler, never unlimited',
  async run(world) {
    const errors: unknown[] = []
    const options: Options = world.tickets({ store: rejecting })
    const client = await world.limited(options, {
      onError: (error, { send }) => {
        errors.push(error)
        send(500, 'caught')
      },
    })
    expect(await client.send()).toMatchObject({ status: 500, body: 'caught' })
    expect([errors.map(String), world.handled]).toEqual([['Error: no answer'], 0])
  },
}
