import { expect, test } from '@jest/globals'
import { createLimiter, redisStore, slidingWindowLog } from '@sluice/core'
import { socket } from '@sluice/faults/redis-socket'
import { recorder, redisSink } from '@sluice/telemetry'
import { Redis } from 'ioredis'
import { dashboard } from '../src/index.ts'
import { Listener, listen } from './site.ts'

const quiet = { warn() {}, error() {} }

test('a page of one process shows what all have sent, and to those as well that come later', async () => {
  const client = new Redis(socket)
  const prefix = `dashboard ${process.pid}:`
  const policy = slidingWindowLog({ limit: 50, window: '1h' })
  const processes = Array.from({ length: 3 }, () => {
    const seen = recorder(redisSink({ redis: client, prefix, deadline: '20s' }))
    const store = redisStore(client, { prefix, deadline: '20s', connectDeadline: '20s' })
    const limiter = createLimiter({ name: 'tiger', policy, store, observers: [seen], logger: quiet })
    return { seen, store, limiter, page: dashboard({ recorder: seen, limiters: [limiter] }) }
  })
  await Promise.all(processes.map(({ limiter }) => limiter.ready()))
  const sites = await Promise.all(processes.map(({ page }) => listen(page)))
  const follow = (i: number) => new Listener(`${sites[i]?.origin}/stream?span=300`)
  const first = follow(0)
  await first.until('history')

  const asked = processes.flatMap(({ limiter }) => Array.from({ length: 30 }, () => limiter.check('tigers')))
  const allowed = (await Promise.all(asked)).filter((decision) => decision.allowed).length
  expect(allowed).toBe(50)
  const all = ({ totals }: Listener) => totals?.admitted === 50 && totals.refused === 40
  await first.shows(all)
  expect(first.totals?.rows['tiger:default']).toEqual({ admitted: 50, refused: 40, most: 50 })
  const late = follow(1)
  await late.shows(all)

  for (const listener of [first, late]) listener.close()
  for (const [i, { seen, store, limiter, page }] of processes.entries()) {
    await page.close()
    await sites[i]?.close()
    await limiter.close()
    await store.close()
    await seen.close()
  }
  client.disconnect()
})

test('what happened before a restart, in any process, is among the events of a page', async () => {
  const client = new Redis(socket)
  const prefix = `dashboard events ${process.pid}:`
  const start = () => {
    const seen = recorder(redisSink({ redis: client, prefix, deadline: '20s' }))
    const policy = slidingWindowLog({ limit: 5, window: '1h' })
    const store = redisStore(client, { prefix, deadline: '20s', connectDeadline: '20s' })
    const limiter = createLimiter({ name: 'tiger', policy, store, observers: [seen], logger: quiet })
    const page = dashboard({ recorder: seen, limiters: [limiter] })
    const end = async () => {
      await page.close()
      await limiter.close()
      await store.close()
      await seen.close()
    }
    return { seen, limiter, page, end }
  }
  const [one, other] = [start(), start()]
  await one.limiter.block('bob-the-builder', '10m', { by: 'alice' })
  await other.limiter.block('carol-of-the-farm', '10m', { by: 'alice' })
  for (const { end } of [one, other]) await end()

  const after = start()
  const site = await listen(after.page)
  const listener = new Listener(`${site.origin}/stream?span=60`)
  const { events } = await listener.until('events', (message) => message.events.length > 0)
  // Each process estimates the server's time for itself: of two blocks within a few milliseconds either may come first.
  expect(events.map(({ title, text }) => [title, text.replace(/#\w+/, '#')]).sort()).toEqual([
    ['Key blocked', 'tiger, bob-the-•••••• #, for 10 min, by alice.'],
    ['Key blocked', 'tiger, carol-of•••••• #, for 10 min, by alice.'],
  ])
  const timesMs = events.map(({ atMs }) => atMs)
  expect(timesMs).toEqual([...timesMs].sort((a, b) => b - a))
  listener.close()
  await site.close()
  await after.end()
  client.disconnect()
})
