import { expect, it } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import { concurrency, createLimiter, fixedWindow, memoryStore, type Store, uniform } from '../../src/index.ts'

const policies = {
  visitor: uniform({ interval: '10s' }),
  attraction: fixedWindow({ limit: 3, window: '10s' }),
}

it('answers several policies, keys by policy and options when the call returns', () => {
  const limiter = createLimiter({ policies, store: memoryStore({ clock: manualClock() }) })
  const subject = { visitor: 'bob', attraction: ['tigers', 7] }
  const first = limiter.checkNow(subject, { cost: { attraction: 2 } })
  expect(first).toMatchObject({ allowed: true, source: 'memory', limiter: 'default' })
  expect(first.verdicts.attraction?.remaining).toBe(1)
  expect(limiter.checkNow(subject)).toMatchObject({ allowed: false, policy: 'visitor', retryAfterMs: 10_000 })
})

it('takes a place in flight, which its decision releases', async () => {
  const limiter = createLimiter({ policy: concurrency({ limit: 1 }) })
  const held = limiter.checkNow('bob')
  expect(limiter.checkNow('bob').allowed).toBe(false)
  await held.release()
  expect(limiter.checkNow('bob').allowed).toBe(true)
  await limiter.close()
})

it('throws what check rejects with', () => {
  const limiter = createLimiter({ policy: fixedWindow({ limit: 1, window: '1s' }) })
  expect(() => limiter.checkNow('')).toThrow('subject')
  expect(() => limiter.checkNow('bob', { cost: -1 })).toThrow('cost')
})

it('is no method of a limiter whose store answers later, and asks it nothing', async () => {
  const asked: unknown[] = []
  const later: Store = {
    name: 'later',
    answer(question) {
      asked.push(question)
      return Promise.reject(new Error('not asked'))
    },
    adjust() {},
    manage() {},
    async close() {},
  }
  const limiter = createLimiter({ policy: fixedWindow({ limit: 1, window: '1s' }), store: later })
  // @ts-expect-error a store may answer later
  const call = () => limiter.checkNow('bob')
  expect(call).toThrow(
    expect.objectContaining({
      code: 'SLUICE_UNSUPPORTED',
      message: 'limiter.checkNow: the store later cannot answer at once',
    }),
  )
  expect(asked).toEqual([])
  await limiter.close()
})
