import { expect, test } from '@jest/globals'
import { createLimiter, fixedWindow, redisStore } from '@sluice/core'
import { FaultyServer } from '@sluice/faults/outage'
import { socket } from '@sluice/faults/redis-socket'
import { recorder, redisSink } from '@sluice/telemetry'
import { dashboard } from '../../src/index.ts'
import { Listener, listen } from '../site.ts'

test('while Redis is away a page goes on with what its process decides, and what was shown stays when it is back', async () => {
  const server = new FaultyServer(socket)
  await server.start()
  const logger = { warn() {}, error() {} }
  const prefix = `away ${process.pid}:`
  const seen = recorder(redisSink({ redis: server.url, prefix }), { logger })
  const store = redisStore(server.url, { prefix })
  const policy = fixedWindow({ limit: 1_000_000, window: '1h' })
  const limiter = createLimiter({ name: 'tiger', policy, store, observers: [seen], logger })
  const page = dashboard({ recorder: seen, limiters: [limiter] })
  const site = await listen(page)
  await limiter.ready()
  let sent = 0
  const sending = setInterval(() => {
    sent++
    void limiter.check('tigers')
  }, 20)
  const listener = new Listener(`${site.origin}/stream?span=300`)
  await listener.shows(({ totals }) => (totals?.admitted ?? 0) > 10)

  await server.refuse()
  const away = await listener.until('store', ({ status }) => status === 'down')
  expect(away).toMatchObject({ name: 'redis', onFailure: 'local', awayFromMs: expect.any(Number) })
  const before = listener.totals?.admitted ?? 0
  await listener.shows(({ totals }) => (totals?.local ?? 0) > 50 && (totals?.admitted ?? 0) > before + 50)

  await server.start()
  await listener.until('events', ({ events }) => events.some(({ mark }) => mark === 'live'))
  clearInterval(sending)
  await listener.shows(({ totals }) => totals?.admitted === sent)
  const titles = listener.last('events')?.events.map(({ title }) => title) ?? []
  expect(titles).toContain('Redis does not answer')
  expect(titles).toContain('Redis answers again')
  const hatched = listener.last('second')?.outages ?? []
  expect(hatched).toContainEqual([expect.any(Number), expect.any(Number)])
  expect(hatched).not.toContainEqual([expect.any(Number), null])

  listener.close()
  await page.close()
  await site.close()
  await limiter.close()
  await store.close()
  await seen.close()
  await server.end()
})
