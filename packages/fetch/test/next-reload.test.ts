import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { fixedWindow, memoryStore } from '@sluice/core'
import { rateLimit } from '../src/next.ts'

const { NODE_ENV } = process.env
beforeEach(() => {
  process.env.NODE_ENV = 'development'
})
afterEach(() => {
  process.env.NODE_ENV = NODE_ENV
})

function limitOf(limit: number, store = memoryStore()) {
  return rateLimit({
    name: 'tickets',
    policy: fixedWindow({ limit, window: '1h' }),
    store,
    ip: () => '192.0.2.1',
  })
}

it('in development a limiter that is made anew with other policies takes the name, and goes on counting', async () => {
  const store = memoryStore()
  await limitOf(2, store).limiter.check('bob')
  limitOf(3, store)
  expect((await limitOf(4, store).limiter.check('bob')).remaining).toBe(2)
})

it('in production two limiters of one name with other policies are an error', () => {
  process.env.NODE_ENV = 'production'
  const store = memoryStore()
  limitOf(2, store)
  expect(() => limitOf(3, store)).toThrow('another open limiter of this name')
})

it('in development what is wrong otherwise is an error', () => {
  limitOf(2)
  expect(() => limitOf(-1)).toThrow('limit')
})
