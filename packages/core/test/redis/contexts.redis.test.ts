import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, expect, it } from '@jest/globals'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { createLimiter, type Decision, fixedWindow, type Observer, redisStore } from '../../src/index.ts'
import { checkOf } from './real-store.ts'

const policy = fixedWindow({ limit: 5, window: '1h' })
const client = new Redis({ path: socket, socketTimeout: 10_000, reconnectOnError: () => false })
const store = redisStore(client, { deadline: '10s' })
afterEach(async () => {
  await store.close()
  client.disconnect()
})

it('observers hear of each decision in its caller’s own context, such as its span, also of those that go together', async () => {
  const context = new AsyncLocalStorage<string>()
  const heard: (readonly [caller: string, key: string])[] = []
  const observer: Observer = {
    decided: ({ key }: Decision) => void heard.push([context.getStore() ?? 'nobody', String(key)]),
  }
  const limiter = createLimiter({ name: checkOf(policy).key, policy, store, observers: [observer] })
  await limiter.ready()
  const callers = ['ann', 'bob', 'eve']
  await Promise.all(callers.map((caller) => context.run(caller, () => limiter.check(caller))))
  for (const caller of callers) await context.run(caller, () => limiter.check(caller))
  expect(heard).toEqual([...callers, ...callers].map((caller) => [caller, caller]))
  await limiter.close()
})
