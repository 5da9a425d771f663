import { expect } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import type { Client } from './client.ts'
import type { Scenario } from './scenario.ts'
import type { Exchange, Handler, Options } from './site.ts'
import { type PolicyOptions, rowOf, signal, type World, xRemaining } from './world.ts'

const tenIn10s = fixedWindow({ limit: 10, window: '10s' })

/** Sends a request and breaks the connection as soon as `broken` says so. */
function aborted(client: Client, broken: Promise<unknown>): void {
  const request = client.open()
  request.on('error', () => {})
  void broken.then(() => request.destroy())
}

function closeOf({ raw }: Exchange): Promise<void> {
  return new Promise((resolve) => raw.once('close', resolve))
}

/** What a fresh request leaves, when it is told by the second of two that ask. */
async function leftAfter(client: Client): Promise<string> {
  const { headers } = await client.send()
  return String(headers[xRemaining])
}

/** A limiter that notes how responses ended, and gives back what succeeded. */
function settling(world: World, more: Parameters<World['tickets']>[0] = {}) {
  const told: { status: number; aborted: boolean }[] = []
  let tell = signal<{ status: number; aborted: boolean }>()
  const settle: Options['settle'] = (_, response) => {
    told.push(response)
    tell.done(response)
    return response.status < 400 && !response.aborted ? 0 : undefined
  }
  const options = world.tickets({ policy: tenIn10s, settle, ...more })
  /** The next ending that is told. */
  const next = () => {
    tell = signal()
    return tell.promise
  }
  return { options, told, next }
}

export const life: readonly Scenario[] = [
  {
    title: '41: aborted before the decision: still charged, nothing is written',
    async run(world) {
      const reached = signal()
      const decided = signal()
      const observers = [{ decided: () => decided.done() }]
      const client = await world.limited(world.tickets({ policy: tenIn10s, observers }), {
        first: async (exchange) => {
          if (exchange.raw.req.headers['x-stay'] !== undefined) return
          reached.done()
          await closeOf(exchange)
        },
      })
      aborted(client, reached.promise)
      await decided.promise
      const { headers } = await client.send({ headers: { 'X-Stay': '1' } })
      expect(headers[xRemaining]).toBe('8')
      world.takeWarnings()
    },
  },
  {
    title: '41: aborted while the key is looked up: still charged, refused or not',
    async run(world) {
      const reached = signal()
      const gone = signal()
      const decisions: boolean[] = []
      const twice = signal()
      const observers = [
        {
          decided: ({ allowed }: { allowed: boolean }) => {
            decisions.push(allowed)
            if (decisions.length === 2) twice.done()
          },
        },
      ]
      const key: PolicyOptions['key'] = async () => {
        reached.done()
        await gone.promise
        return 'bob'
      }
      const options = world.tickets({ policy: fixedWindow({ limit: 1, window: '10s' }), key, observers })
      const client = await world.limited(options, {
        first: (exchange) => void closeOf(exchange).then(gone.done),
      })
      aborted(client, reached.promise)
      aborted(client, reached.promise)
      await twice.promise
      expect(decisions).toEqual([true, false])
      await new Promise((resolve) => setImmediate(resolve))
    },
  },
  {
    title: '41: aborted after admission: the charge stays, and a late answer harms nothing',
    async run(world) {
      const reached = signal()
      const answered = signal()
      const handler: Handler = async (exchange) => {
        if (exchange.raw.req.headers['x-stay'] !== undefined) return exchange.send(200, 'ok')
        reached.done()
        await closeOf(exchange)
        exchange.send(200, 'too late')
        answered.done()
      }
      const client = await world.open({
        limits: [world.tickets({ policy: tenIn10s })],
        routes: [{ handler }],
      })
      aborted(client, reached.promise)
      await answered.promise
      const { headers } = await client.send({ headers: { 'X-Stay': '1' } })
      expect(headers[xRemaining]).toBe('8')
    },
  },
  {
    title: '42: settle gives back what succeeded and keeps what failed',
    async run(world) {
      const { options, told, next } = settling(world)
      let status = 200
      const client = await world.open({
        limits: [options],
        routes: [{ handler: ({ send }) => send(status, 'done') }],
      })
      // biome-ignore format: a table
      const rows = [
        // status  remaining as told with it
        [200,      '9'],
        [200,      '9'],
        [500,      '9'],
        [404,      '8'],
        [204,      '7'],
        [200,      '7'],
      ] as const
      for (const [answered, remaining] of rows) {
        status = answered
        const ended = next()
        expect((await client.send()).headers[xRemaining]).toBe(remaining)
        expect(await ended).toEqual({ status: answered, aborted: false })
      }
      expect(told).toHaveLength(6)
    },
  },
  {
    title: '42: settle of a handler that throws: the status that the client saw',
    async run(world) {
      const { options, next } = settling(world)
      const handler: Handler = () => {
        throw new Error('broken')
      }
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      const ended = next()
      expect((await client.send()).status).toBe(500)
      expect(await ended).toEqual({ status: 500, aborted: false })
    },
  },
  {
    title: '42: settle is told of an abort after admission',
    async run(world) {
      const { options, next } = settling(world)
      const reached = signal()
      const handler: Handler = async (exchange) => {
        reached.done()
        await closeOf(exchange)
      }
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      const ended = next()
      aborted(client, reached.promise)
      expect(await ended).toMatchObject({ aborted: true })
    },
  },
  {
    title: '42: settle is told of an abort before the decision',
    async run(world) {
      const { options, next } = settling(world)
      const reached = signal()
      const client = await world.limited(options, {
        first: async (exchange) => {
          reached.done()
          await closeOf(exchange)
        },
      })
      const ended = next()
      aborted(client, reached.promise)
      expect(await ended).toMatchObject({ aborted: true })
      world.takeWarnings()
    },
  },
  {
    title: '42: settle to the true cost, also a higher one; a refused request is not settled',
    async run(world) {
      const endings: number[] = []
      const settled = signal()
      const settle: Options['settle'] = (_, { status }) => {
        endings.push(status)
        settled.done()
        return 7
      }
      const client = await world.limited(world.tickets({ policy: tenIn10s, settle }))
      expect(await leftAfter(client)).toBe('9')
      await settled.promise
      await new Promise((resolve) => setImmediate(resolve))
      expect(await leftAfter(client)).toBe('2')
      await client.crowd(3)
      expect(endings).not.toContain(429)
    },
  },
  {
    title: '43: settled after the window has ended: nothing is given into the next',
    async run(world) {
      const { options, next } = settling(world, {
        settle: undefined,
      })
      void next
      const settled = signal()
      const release = signal()
      const reached = signal()
      const settle: Options['settle'] = (_, __) => {
        settled.done()
        return 0
      }
      const handler: Handler = async ({ raw, send }) => {
        if (raw.req.headers['x-slow'] !== undefined) {
          reached.done()
          await release.promise
        }
        send(200, 'ok')
      }
      const slow = { ...options, settle }
      const client = await world.open({
        routes: [
          { path: '/slow', limits: [slow], handler },
          { limits: [options], handler },
        ],
      })
      const held = client.send({ path: '/slow', headers: { 'X-Slow': '1' } })
      await reached.promise
      await world.clock.advance('10s')
      expect(await leftAfter(client)).toBe('9')
      release.done()
      await held
      await settled.promise
      await new Promise((resolve) => setImmediate(resolve))
      expect(await leftAfter(client)).toBe('8')
    },
  },
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
