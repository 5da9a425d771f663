// Run by jest --detectOpenHandles, in a process of its own: see runners.test.ts.
import { expect, test } from '@jest/globals'
import { concurrency, createLimiter, redisStore, uniform } from '@sluice/core'

test('counts in memory, a place in flight and a caller that waits', async () => {
  const places = createLimiter({ policy: concurrency({ limit: 1 }) })
  expect((await places.check('bob')).allowed).toBe(true)
  const limiter = createLimiter({ policy: uniform({ interval: '1h', maxDebt: '1d' }) })
  await limiter.check('bob')
  const waiting = limiter.wait('bob', { maxWait: '2h' })
  await limiter.close()
  await expect(waiting).rejects.toMatchObject({ code: 'SLUICE_CLOSED' })
})

test('a client of Redis that a store has made', async () => {
  const store = redisStore('redis://127.0.0.1:1', { connectDeadline: '50ms' })
  const logger = { warn() {}, error() {} }
  const limiter = createLimiter({ policy: uniform({ interval: '1h', maxDebt: '1d' }), store, logger })
  expect((await limiter.check('bob')).source).toBe('fallback')
  await limiter.close()
  await store.close()
})
