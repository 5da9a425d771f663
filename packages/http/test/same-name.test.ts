import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { createLimiter, fixedWindow, memoryStore, redisStore } from '@sluice/core'
import { guardRequest } from '../src/guard-request.ts'

let said: string[] = []
afterEach(() => {
  said = []
})
const log = (text: string) => void said.push(text.replace(/ \(http.*/, ''))
const logger = { warn: log, error: log }
const policy = fixedWindow({ limit: 5, window: '1m' })
type Guard = ReturnType<typeof guardRequest<IncomingMessage, 'default'>>

/** What is left after one request that all of these have seen. */
async function leftAfter(...guards: readonly Guard[]): Promise<string | null> {
  const server = createServer(async (request, response) => {
    for (const guard of guards) if (!(await guard(request, response))) return
    response.end('hello')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens
  const { headers } = await fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close' } })
  server.close()
  return headers.get('x-ratelimit-remaining')
}

test('two limiters of one name and one count are said to be two, as each request is counted twice', async () => {
  const store = memoryStore()
  const made = () => guardRequest<IncomingMessage, 'default'>({ policy, store, logger, key: () => 'bob' })
  expect(await leftAfter(made(), made())).toBe('3')
  expect(said).toEqual([
    '[sluice] SLUICE_SAME_NAME: two limiters called "default" answer one request: rename one',
  ])
})

test('also on two stores of one Redis, and not where these have prefixes of their own', async () => {
  const nowhere = 'redis://localhost:1' // nothing listens there
  const stores = [{}, {}, { prefix: 'shop:' }].map((options) => redisStore(nowhere, options))
  const [one, two, shop] = stores.map((store) =>
    guardRequest<IncomingMessage, 'default'>({
      policy,
      store,
      logger: { warn: log, error() {} },
      key: () => 'bob',
    }),
  )
  if (one === undefined || two === undefined || shop === undefined) throw new Error('three are made')
  await leftAfter(one, shop)
  expect(said).toEqual([])
  await leftAfter(one, two)
  expect(said).toEqual([
    '[sluice] SLUICE_SAME_NAME: two limiters called "default" answer one request: rename one',
  ])
  for (const store of stores) await store.close()
})

test('not where each has a count of its own: by its store, its name or its key', async () => {
  const store = memoryStore()
  const made = (settings: object) =>
    guardRequest<IncomingMessage, 'default'>({ policy, logger, key: () => 'bob', ...settings })
  expect(await leftAfter(made({}), made({}))).toBe('4')
  expect(await leftAfter(made({ store }), made({ store, name: 'api' }))).toBe('4')
  expect(await leftAfter(made({ store }), made({ store, key: () => 'eve' }))).toBe('3')
  expect(said).toEqual([])
})

test('not where one limiter is passed to both, as for a route that costs more', async () => {
  const limiter = createLimiter({ policy, logger })
  const made = (cost: number) => guardRequest<IncomingMessage, 'default'>({ limiter, key: () => 'bob', cost })
  expect(await leftAfter(made(1), made(2))).toBe('2')
  expect(said).toEqual([])
})
