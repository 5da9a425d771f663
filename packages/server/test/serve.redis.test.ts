import { randomBytes } from 'node:crypto'
import { afterEach, expect, it } from '@jest/globals'
import { redisStore } from '@sluice/core'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import type { ServeOptions } from '../src/index.ts'
import { descriptor } from './client.ts'
import { type Served, served } from './served.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const limits = `
charge: all-or-nothing
schema:
  shop:
    children:
      user: { children: { "*": { limits: { strategy: slidingWindowLog, limit: 20, window: 1h } } } }
      all: { children: { "1": { limits: { strategy: fixedWindow, limit: 30, window: 1h } } } }
      place: { children: { "*": { limits: { strategy: concurrency, limit: 2, lease: 10m } } } }
`

type Place = (redis: Redis, prefix: string) => Pick<ServeOptions, 'redis' | 'store' | 'prefix'>

/** A busy machine is no outage, and of a client's store the deadline cannot be said. */
const patiently: Place = (redis, prefix) => ({
  store: redisStore(redis, { prefix, deadline: '20s', connectDeadline: '20s' }),
})
const byItself: Place = (redis, prefix) => ({ redis, prefix })

async function twoServices(place: Place = patiently): Promise<readonly [Served, Served]> {
  const prefix = `serve-${randomBytes(6).toString('hex')}:`
  const one = async () => {
    const redis = new Redis({ path: socket })
    ends.push(() => redis.disconnect())
    const where = place(redis, prefix)
    ends.push(() => where.store?.close())
    const service = await served(limits, where)
    ends.push(() => service.end())
    return service
  }
  return [await one(), await one()]
}

const ask = ({ client }: Served, ...descriptors: readonly object[]) =>
  client.limit({ domain: 'shop', descriptors })

it('two services on one Redis together never pass a limit, however many ask at once', async () => {
  const services = await twoServices()
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) => ask(services[i % 2 === 0 ? 0 : 1], descriptor('user=alex'))),
  )
  expect(answers.filter(({ overall_code }) => overall_code === 'OK')).toHaveLength(20)
})

it('several descriptors are one step: what one refuses the other is not charged for', async () => {
  const services = await twoServices()
  const asked = Array.from({ length: 60 }, (_, i) =>
    ask(services[i % 2 === 0 ? 0 : 1], descriptor(`user=${i % 2}`), descriptor('all=1')),
  )
  const passed = (await Promise.all(asked)).filter(({ overall_code }) => overall_code === 'OK')
  expect(passed).toHaveLength(30)
  const [{ server }] = services
  const left = await Promise.all(['0', '1'].map((user) => server.limits.peek(['shop', 'user', user])))
  expect(left.reduce((sum, { remaining }) => sum + remaining, 0)).toBe(40 - 30)
})

it('a place in flight ends with its lease, as nobody says when a request is over', async () => {
  const [one, two] = await twoServices(byItself)
  expect((await ask(one, descriptor('place=a'))).overall_code).toBe('OK')
  expect((await ask(two, descriptor('place=a'))).overall_code).toBe('OK')
  const refused = await ask(one, descriptor('place=a'))
  expect(refused.overall_code).toBe('OVER_LIMIT')
  expect(refused.statuses[0]?.current_limit).toMatchObject({ requests_per_unit: 2, unit: 'UNKNOWN' })
})
