import { expect } from '@jest/globals'
import { createLimiter, fixedWindow } from '@sluice/core'
import { aborted, closeOf, readAddress } from './aborting.ts'
import type { Client } from './client.ts'
import type { Scenario } from './scenario.ts'
import type { Handler, Options } from './site.ts'
import { rowOf, signal, type World } from './world.ts'

const five = fixedWindow({ limit: 5, window: '1h' })
const slowDown = { delayAfter: 1, delayMs: 500 }

/** A site that delays every request of a client but the first, and how many it delays at the moment. */
async function slowed(world: World, settings: { maxSleepers?: number } = {}) {
  const limiter = createLimiter({ ...world.quiet(), name: 'slow', policy: five, ...settings })
  const key: Options['key'] = (_, view) => view.header('x-key')
  const client = await world.limited({ limiter, key, slowDown })
  const sleeping = () => limiter.health().sleepers
  return { client, limiter, sleeping }
}

/** Both ends of a connection are in this process: turns bring it on, however long each takes. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 100_000 && !holds(); turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(holds()).toBe(true)
}

/** The answer to a request that waits for so long, and not a millisecond less. */
async function after(
  ms: number,
  { world, client, sleeping }: { world: World; client: Client; sleeping: () => number },
) {
  const before = world.handled
  const reply = client.send()
  await until(() => sleeping() === 1)
  await world.clock.advance(ms - 1)
  await new Promise((resolve) => setImmediate(resolve))
  expect([sleeping(), world.handled]).toEqual([1, before])
  await world.clock.advance(1)
  return reply
}

const unchanged = [200, undefined, undefined, undefined, undefined]

/** Requests that are slowed down. */
export const slowing: readonly Scenario[] = [
  {
    title: 'slows a request down by what its client has used, refuses none, and sends no fields',
    async run(world) {
      const site = await slowed(world)
      expect(rowOf(await site.client.send())).toEqual(unchanged)
      for (const ms of [500, 1000, 1500, 2000, 2500, 2500])
        expect([ms, rowOf(await after(ms, { world, ...site }))]).toEqual([ms, unchanged])
      expect(world.handled).toBe(7)
      const other = await site.client.send({ headers: { 'X-Key': 'alice' } })
      expect(other.status).toBe(200)
    },
  },
  {
    title: 'slowed down, a client that hangs up reaches no handler, and what it used stays used',
    async run(world) {
      const site = await slowed(world)
      await site.client.send()
      const sleeps = signal()
      aborted(site.client, sleeps.promise)
      await until(() => site.sleeping() === 1)
      sleeps.done()
      await until(() => site.sleeping() === 0)
      await world.clock.advance(10_000)
      await new Promise((resolve) => setImmediate(resolve))
      expect(world.handled).toBe(1)
      expect((await after(1000, { world, ...site })).status).toBe(200)
    },
  },
  {
    title: 'slowed down, a client that has hung up before its delay begins does not sleep',
    async run(world) {
      const limiter = createLimiter({ ...world.quiet(), name: 'slow', policy: five })
      const reached = signal()
      const gone = signal()
      const key: Options['key'] = async () => {
        reached.done()
        await gone.promise
        setImmediate(() => asked.done())
        return 'bob'
      }
      const asked = signal()
      const options = { limiter, key, slowDown: { delayAfter: 0, delayMs: 500 } } as Options
      const first: Handler = (exchange) => {
        readAddress(exchange)
        void closeOf(exchange).then(gone.done)
      }
      const client = await world.limited(options, { first })
      aborted(client, reached.promise)
      await asked.promise
      expect([(await limiter.peek('bob')).remaining, limiter.health().sleepers]).toEqual([4, 0])
      await world.clock.advance(10_000)
      await new Promise((resolve) => setImmediate(resolve))
      expect(world.handled).toBe(0)
    },
  },
  {
    title: 'slows down as many requests as may sleep, and lets others pass at once with a warning',
    async run(world) {
      const site = await slowed(world, { maxSleepers: 1 })
      await site.client.send()
      const held = site.client.send()
      await until(() => site.sleeping() === 1)
      expect((await site.client.send()).status).toBe(200)
      expect([site.sleeping(), world.takeWarnings()]).toEqual([1, ['SLUICE_MAX_SLEEPERS']])
      await world.clock.advance(500)
      expect((await held).status).toBe(200)
    },
  },
  {
    title: 'slowed down, requests pass when the limiter is closed',
    async run(world) {
      const site = await slowed(world)
      await site.client.send()
      const held = site.client.send()
      await until(() => site.sleeping() === 1)
      await site.limiter.close()
      expect((await held).status).toBe(200)
    },
  },
]
