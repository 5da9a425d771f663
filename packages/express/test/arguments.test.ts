import { expect, it } from '@jest/globals'
import { fixedWindow, memoryStore } from '@sluice/core'
import express, { type Request, type Response } from 'express'
import { rateLimit } from '../src/index.ts'

it('a store beside the options is refused, as it would not be used', () => {
  const asInJavaScript = rateLimit as (...given: readonly unknown[]) => unknown
  expect(() => asInJavaScript({ policy: fixedWindow({ limit: 5, window: '1m' }) }, memoryStore())).toThrow(
    'arguments[1]: expected nothing, as the store is an option: { …, store }, got an object (MemoryStore)',
  )
})

it('app.use(rateLimit) of a rateLimit that was not called says how it is called', () => {
  const asInJavaScript = rateLimit as (...given: readonly unknown[]) => unknown
  const { request, response } = express
  for (const next of [() => {}, undefined]) {
    expect(() => asInJavaScript(Object.create(request, { url: { value: '/' } }), response, next)).toThrow(
      'options: expected an object of options: write app.use(rateLimit({ policy: gcra({ … }) }))',
    )
  }
})

it.each<[string, () => string | Promise<string>]>([
  ['at once', () => 'bob'],
  ['later, where an error that nobody catches would end the process', async () => 'bob'],
])(
  'a middleware that is called without next says so, and counts nothing: one that decides %s',
  async (_when, key) => {
    const limit = rateLimit({ policy: fixedWindow({ limit: 1, window: '1m' }), key })
    const withoutNext = limit as unknown as (req: Request, res: Response) => void
    const req = Object.assign(Object.create(express.request), { app: express(), headers: {}, socket: {} })
    expect(() => withoutNext(req, Object.create(express.response))).toThrow(
      'req: expected a request of Express, with res and next: other frameworks have packages of their own',
    )
    expect((await limit.limiter.peek('bob')).remaining).toBe(1)
  },
)
