import { PassThrough } from 'node:stream'
import { expect } from '@jest/globals'
import { concurrency, createLimiter, type Limiter, type Policy } from '@sluice/core'
import { loadLimits } from '@sluice/limits'
import { aborted, closeOf } from './aborting.ts'
import type { Client } from './client.ts'
import type { Scenario } from './scenario.ts'
import type { Handler, Options } from './site.ts'
import { signal, type World } from './world.ts'

const one = concurrency({ limit: 1, lease: '30s' })

type Slots = Limiter<{ readonly default: Policy<'line'> }>

/** One place, and a look at it. */
function slots(
  world: World,
  more: Partial<Options> = {},
): { readonly options: Options; readonly limiter: Slots } {
  const limiter = createLimiter({ ...world.quiet(), name: 'slots', policy: one })
  return { limiter, options: { limiter, key: () => 'bob', ...more } as Options }
}

async function isFree(limiter: Pick<Slots, 'peek'>): Promise<boolean> {
  return (await limiter.peek('bob')).remaining === 1
}

/** A response is over on the server a little after its client has seen that. */
async function freed(limiter: Pick<Slots, 'peek'>): Promise<void> {
  while (!(await isFree(limiter))) await new Promise((resolve) => setImmediate(resolve))
}

/** Until so many requests stand in line. */
async function standing(limiter: Pick<Slots, 'health'>, count: number): Promise<void> {
  while (limiter.health().sleepers !== count) await new Promise((resolve) => setImmediate(resolve))
}

/** A route that answers when the test says so. */
function heldRoute(answer: Handler = ({ send }) => send(200, 'done')) {
  const reached = signal()
  const over = signal()
  const handler: Handler = async (exchange) => {
    reached.done()
    await over.promise
    await answer(exchange)
  }
  return { handler, reached: reached.promise, end: over.done }
}

async function statusOf(client: Client): Promise<number> {
  return (await client.send()).status
}

/** Requests that have a place while they are under way. */
export const inFlight: readonly Scenario[] = [
  {
    title: 'a place is taken until the response has ended, for longer than its lease',
    async run(world) {
      const { options, limiter } = slots(world)
      const { handler, reached, end } = heldRoute()
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      const held = client.send()
      await reached
      await world.clock.advance('10m')
      const refused = await client.send()
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
      end()
      expect((await held).status).toBe(200)
      await freed(limiter)
      expect(await statusOf(client)).toBe(200)
    },
  },
  {
    title: 'a client that hangs up before its place is taken leaves none behind',
    async run(world) {
      const decided = signal()
      const reached = signal()
      const policy: Policy = one
      const gone = signal()
      const options: Options = {
        ...world.tickets({ observers: [{ decided: () => decided.done() }] }),
        policy,
        key: async () => {
          reached.done()
          await gone.promise
          return 'bob'
        },
      }
      const client = await world.limited(options, {
        first: (exchange) => void closeOf(exchange).then(gone.done),
      })
      aborted(client, reached.promise)
      await decided.promise
      const look = createLimiter({ ...world.quiet(), name: 'tickets', policy })
      await freed(look)
    },
  },
  {
    title: 'a handler that throws frees its place',
    async run(world) {
      const { options, limiter } = slots(world)
      const { handler, reached, end } = heldRoute(() => {
        throw new Error('broken')
      })
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      const held = client.send()
      await reached
      expect(await isFree(limiter)).toBe(false)
      end()
      expect((await held).status).toBe(500)
      await freed(limiter)
    },
  },
  {
    title: 'a stream has its place until its end',
    async run(world) {
      const { options, limiter } = slots(world)
      const body = new PassThrough()
      const client = await world.open({
        limits: [options],
        routes: [{ handler: ({ send }) => send(200, body) }],
      })
      body.write('first')
      const request = client.open()
      const begun = signal()
      const ended = signal()
      request.on('response', (response) => {
        response.once('data', () => begun.done())
        response.on('end', () => ended.done())
      })
      await begun.promise
      expect(await isFree(limiter)).toBe(false)
      body.end('last')
      await ended.promise
      await freed(limiter)
    },
  },
  {
    title: 'a stream that its client breaks off frees its place',
    async run(world) {
      const { options, limiter } = slots(world)
      const body = new PassThrough()
      body.on('error', () => {})
      const client = await world.open({
        limits: [options],
        routes: [{ handler: ({ send }) => send(200, body) }],
      })
      body.write('first')
      const request = client.open()
      request.on('error', () => {})
      request.on('response', (response) => {
        response.on('error', () => {})
        response.once('data', () => request.destroy())
      })
      const response = signal()
      request.on('close', () => response.done())
      await response.promise
      await freed(limiter)
      body.destroy()
    },
  },
  {
    title: 'a request that a later limiter refuses frees its place',
    async run(world) {
      const { options, limiter } = slots(world)
      const client = await world.open({ limits: [options, world.tickets()] })
      for (const status of [200, 200, 429, 429]) {
        expect(await statusOf(client)).toBe(status)
        await freed(limiter)
      }
    },
  },
  {
    title: 'a policy that is chosen for each request, and one in a tree',
    async run(world) {
      const chosen: Options = { ...world.tickets(), policy: () => one, key: () => 'bob' }
      const tree = { schema: { bob: { limits: { strategy: 'concurrency', limit: 1 } } } }
      const limits = await loadLimits({ tree, ...world.quiet() })
      world.later(() => limits.close())
      const inTree = { limiter: limits, key: () => ['bob'] } as Options
      for (const options of [chosen, inTree]) {
        const { handler, reached, end } = heldRoute()
        const client = await world.open({ limits: [options], routes: [{ handler }] })
        const held = client.send()
        await reached
        expect(await statusOf(client)).toBe(429)
        end()
        expect((await held).status).toBe(200)
        while ((await statusOf(client)) !== 200);
      }
    },
  },
  {
    title: 'the draft fields say of which kind the limit is, and no time',
    async run(world) {
      const { options } = slots(world, { headers: { draft: true } })
      const { handler, reached, end } = heldRoute()
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      const held = client.send()
      await reached
      const refused = await client.send()
      end()
      const { headers } = await held
      const fieldsOf = ({ ratelimit, 'ratelimit-policy': policy }: typeof headers) => [policy, ratelimit]
      expect([fieldsOf(headers), fieldsOf(refused.headers)]).toEqual(
        Array(2).fill(['"slots";q=1;qu="concurrent-requests"', '"slots";r=0']),
      )
    },
  },
  {
    title: 'holds a request until there is a place for it, and one whose client hangs up leaves the line',
    async run(world) {
      const { options, limiter } = slots(world, { maxWait: '10s' })
      const { handler, reached, end } = heldRoute()
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      const held = client.send()
      await reached
      aborted(client, standing(limiter, 1))
      await standing(limiter, 1)
      await standing(limiter, 0)
      const waiting = client.send()
      await standing(limiter, 1)
      end()
      expect([(await held).status, (await waiting).status]).toEqual([200, 200])
      await freed(limiter)
    },
  },
  {
    title: 'refuses a request that has waited for a place for too long',
    async run(world) {
      const { options, limiter } = slots(world, { maxWait: '10s' })
      const { handler, reached, end } = heldRoute()
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      const held = client.send()
      await reached
      const waiting = client.send()
      await standing(limiter, 1)
      await world.clock.advance('10s')
      const { status, headers } = await waiting
      expect([status, headers['retry-after']]).toEqual([429, '1'])
      end()
      expect((await held).status).toBe(200)
      await freed(limiter)
    },
  },
]
