import { PassThrough } from 'node:stream'
import { expect } from '@jest/globals'
import { concurrency, createLimiter, type Policy } from '@sluice/core'
import { loadLimits } from '@sluice/limits'
import { aborted, closeOf } from './aborting.ts'
import type { Client } from './client.ts'
import type { Scenario } from './scenario.ts'
import type { Handler, Options } from './site.ts'
import { left, slots, until, untilLeft } from './slots.ts'
import { signal } from './world.ts'

const one = concurrency({ limit: 1, lease: '30s' })

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
      const { options, limiter } = slots(world, { limit: 1 })
      const { handler, reached, end } = heldRoute()
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      const held = client.send()
      await reached
      await world.clock.advance('10m')
      const refused = await client.send()
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
      end()
      expect((await held).status).toBe(200)
      await untilLeft(limiter, 1)
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
      await untilLeft(look, 1)
    },
  },
  {
    title: 'a handler that throws frees its place',
    async run(world) {
      const { options, limiter } = slots(world, { limit: 1 })
      const { handler, reached, end } = heldRoute(() => {
        throw new Error('broken')
      })
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      const held = client.send()
      await reached
      expect(await left(limiter)).toBe(0)
      end()
      expect((await held).status).toBe(500)
      await untilLeft(limiter, 1)
    },
  },
  {
    title: 'a stream has its place until its end',
    async run(world) {
      const { options, limiter } = slots(world, { limit: 1 })
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
      expect(await left(limiter)).toBe(0)
      body.end('last')
      await ended.promise
      await untilLeft(limiter, 1)
    },
  },
  {
    title: 'a stream that its client breaks off frees its place',
    async run(world) {
      const { options, limiter } = slots(world, { limit: 1 })
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
      await untilLeft(limiter, 1)
      body.destroy()
    },
  },
  {
    title: 'a request that a later limiter refuses frees its place',
    async run(world) {
      const { options, limiter } = slots(world, { limit: 1 })
      const client = await world.open({ limits: [options, world.tickets()] })
      for (const status of [200, 200, 429, 429]) {
        expect(await statusOf(client)).toBe(status)
        await untilLeft(limiter, 1)
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
      const { options } = slots(world, { limit: 1 }, { headers: { draft: true } })
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
      const { options, limiter } = slots(world, { limit: 1 }, { maxWait: '10s' })
      const { handler, reached, end } = heldRoute()
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      const held = client.send()
      await reached
      aborted(
        client,
        until(() => limiter.health().sleepers === 1),
      )
      await until(() => limiter.health().sleepers === 1)
      await until(() => limiter.health().sleepers === 0)
      const waiting = client.send()
      await until(() => limiter.health().sleepers === 1)
      end()
      expect([(await held).status, (await waiting).status]).toEqual([200, 200])
      await untilLeft(limiter, 1)
    },
  },
  {
    title: 'refuses a request that has waited for a place for too long',
    async run(world) {
      const { options, limiter } = slots(world, { limit: 1 }, { maxWait: '10s' })
      const { handler, reached, end } = heldRoute()
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      const held = client.send()
      await reached
      const waiting = client.send()
      await until(() => limiter.health().sleepers === 1)
      await world.clock.advance('10s')
      const { status, headers } = await waiting
      expect([status, headers['retry-after']]).toEqual([429, '1'])
      end()
      expect((await held).status).toBe(200)
      await untilLeft(limiter, 1)
    },
  },
]
