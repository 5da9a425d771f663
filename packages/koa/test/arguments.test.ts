import { expect, it } from '@jest/globals'
import { fixedWindow, memoryStore } from '@sluice/core'
import { rateLimit } from '../src/index.ts'

it('a store beside the options is refused, as it would not be used', () => {
  const asInJavaScript = rateLimit as (...given: readonly unknown[]) => unknown
  expect(() => asInJavaScript({ policy: fixedWindow({ limit: 5, window: '1m' }) }, memoryStore())).toThrow(
    'arguments[1]: expected nothing, as the store is an option: { …, store }, got an object (MemoryStore)',
  )
})

it('app.use(rateLimit) of a rateLimit that was not called says how it is called', () => {
  const asInJavaScript = rateLimit as (...given: readonly unknown[]) => unknown
  expect(() => asInJavaScript(Object.create({ url: '/' }), async () => {})).toThrow(
    'options: expected an object of options: write app.use(rateLimit({ policy: gcra({ … }) }))',
  )
})
