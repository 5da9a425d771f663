import { expect } from '@jest/globals'
import {
  createLimiter,
  fixedWindow,
  gcra,
  type Observer,
  reservable,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core'
import { aborted } from './aborting.ts'
import type { Client, Reply } from './client.ts'
import type { Scenario } from './scenario.ts'
import { until } from './slots.ts'
import { rowOf, signal, type World, xReset } from './world.ts'

const oneASecond = gcra({ count: 1, period: '1s' })

/** Resolves when so many reservations were decided, and by then sleep. */
function reserved(count: number): { readonly observer: Observer; readonly promise: Promise<void> } {
  const all = signal()
  let seen = 0
  const observer: Observer = {
    decided: (_, { operation }) => {
      if (operation === 'reserve' && ++seen === count) setImmediate(all.done)
    },
  }
  return { observer, promise: all.promise }
}

/** The statuses of answers so far. */
function collect(replies: readonly Promise<Reply>[]): { readonly statuses: number[] } {
  const statuses: number[] = []
  for (const reply of replies) void reply.then(({ status }) => statuses.push(status))
  return { statuses }
}

async function advanced(world: World, ms: number): Promise<void> {
  await world.clock.advance(ms)
  await new Promise((resolve) => setImmediate(resolve))
}

function sendAll(client: Client, count: number): readonly Promise<Reply>[] {
  return Array.from({ length: count }, () => client.send())
}

/** Requests that wait for their turn. */
export const holding: readonly Scenario[] = [
  {
    title: 'holds a request until its turn, and states the reset as of then',
    async run(world) {
      const { observer, promise } = reserved(2)
      const options = world.tickets({ policy: oneASecond, maxWait: '2s', observers: [observer] })
      const client = await world.limited(options)
      expect(rowOf(await client.send())).toEqual([200, '1', '0', '1', undefined])
      const held = client.send()
      const { statuses } = collect([held])
      await promise
      await advanced(world, 999)
      expect([statuses, world.handled]).toEqual([[], 1])
      await advanced(world, 1)
      const { status, headers } = await held
      expect([status, headers[xReset], world.handled]).toEqual([200, '1', 2])
    },
  },
  {
    title: 'lets some pass at once, paces some, and refuses the rest',
    async run(world) {
      const { observer, promise } = reserved(6)
      const policy = tokenBucket({ capacity: 2, count: 1, period: '1s' })
      const client = await world.limited(world.tickets({ policy, maxWait: '2s', observers: [observer] }))
      const replies = sendAll(client, 6)
      const { statuses } = collect(replies)
      await promise
      await until(() => statuses.length === 4)
      expect(statuses.toSorted()).toEqual([200, 200, 429, 429])
      for (const count of [5, 6]) {
        await advanced(world, 1000)
        await until(() => statuses.length === count)
      }
      expect(statuses.filter((status) => status === 200)).toHaveLength(4)
    },
  },
  {
    title: 'refuses only clients that would have to wait while as many wait as may',
    async run(world) {
      const { observer, promise } = reserved(2)
      const settings = world.quiet([observer])
      const limiter = createLimiter({ ...settings, name: 'crowded', policy: oneASecond, maxSleepers: 1 })
      const client = await world.limited({ limiter, key: (_, view) => view.header('x-key'), maxWait: '2s' })
      const from = (key: string) => client.send({ headers: { 'X-Key': key } })
      await from('bob')
      const held = from('bob')
      await promise
      expect((await from('bob')).status).toBe(429)
      expect([(await from('alice')).status, (await from('alice')).status]).toEqual([200, 429])
      expect(world.takeWarnings()).toEqual(['SLUICE_MAX_SLEEPERS'])
      await advanced(world, 1000)
      expect((await held).status).toBe(200)
    },
  },
  {
    title: 'gives the place of a client that hung up to the next, and runs no handler for it',
    async run(world) {
      const { observer, promise } = reserved(2)
      const gone = signal()
      const client = await world.limited(
        world.tickets({
          policy: oneASecond,
          maxWait: '2s',
          observers: [observer, { adjusted: () => gone.done() }],
        }),
      )
      await client.send()
      aborted(client, promise)
      await gone.promise
      const held = client.send()
      const { statuses } = collect([held])
      await new Promise((resolve) => setTimeout(resolve, 20))
      await advanced(world, 1000)
      await until(() => statuses.length === 1)
      expect([statuses, world.handled]).toEqual([[200], 2])
    },
  },
  {
    title: 'answers what is held with 503 when the limiter is closed',
    async run(world) {
      const { observer, promise } = reserved(2)
      const settings = world.quiet([observer])
      const limiter = createLimiter({ ...settings, name: 'closing', policy: oneASecond })
      const client = await world.limited({ limiter, key: () => 'bob', maxWait: '2s' })
      await client.send()
      const held = client.send()
      await promise
      await limiter.close()
      const { status, headers } = await held
      expect([status, headers['retry-after']]).toEqual([503, '1'])
    },
  },
  {
    title: 'holds a request until the next window has room for it, one behind the other',
    async run(world) {
      const { observer, promise } = reserved(5)
      const policy = reservable(fixedWindow({ limit: 2, window: '1s' }))
      const options = world.tickets({ policy, maxWait: '1s', observers: [observer] })
      const client = await world.limited(options)
      const replies = sendAll(client, 5)
      const { statuses } = collect(replies)
      await promise
      await until(() => statuses.length === 3)
      await advanced(world, 999)
      expect([statuses.toSorted(), world.handled]).toEqual([[200, 200, 429], 2])
      await advanced(world, 1)
      await Promise.all(replies)
      expect([statuses.toSorted(), world.handled]).toEqual([[200, 200, 200, 200, 429], 4])
    },
  },
  {
    title: 'refuses a wait that the strategy cannot keep, and warns of one that proxies cut off',
    async run(world) {
      const log = slidingWindowLog({ limit: 1, window: '1s' })
      await expect(world.limited(world.tickets({ policy: log, maxWait: '1s' }))).rejects.toThrow(
        /maxWait: expected 0, as policy "default" cannot reserve: slidingWindowLog \(write reservable\(slidingWindowLog\({ … }\)\), or/,
      )
      const patient = world.tickets({ name: 'patient', policy: oneASecond, maxWait: '31s' })
      const client = await world.limited(patient)
      await client.send()
      expect(world.takeWarnings()).toEqual(['SLUICE_LONG_WAIT'])
    },
  },
]
