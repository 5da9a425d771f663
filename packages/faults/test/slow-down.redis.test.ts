import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { fixedWindow, redisStore, type Store } from '@sluice/core'
import { rateLimit as expressLimit } from '@sluice/express'
import { rateLimit as fastifyLimit } from '@sluice/fastify'
import { rateLimit as koaLimit } from '@sluice/koa'
import express from 'express'
import Fastify from 'fastify'
import { Redis } from 'ioredis6'
import Koa from 'koa'
import { socket } from '../src/redis-socket.ts'

const name = `slow-${randomUUID()}`
const clients: Redis[] = []
const stores: Store[] = []
const servers: Server[] = []
/** For which units a delay was asked, in the order of the requests. */
const used: number[] = []

/** Each server has a store of its own, as processes have. */
function options() {
  const client = new Redis({ path: socket })
  // However busy this machine is, Redis decides.
  const store = redisStore(client, { deadline: '20s' })
  clients.push(client)
  stores.push(store)
  return {
    name,
    policy: fixedWindow({ limit: 6, window: '1h' }),
    store,
    slowDown: { delayAfter: 1, delayMs: (units: number) => used.push(units) },
    key: () => 'everybody',
    logger: { warn: () => {}, error: () => {} },
  }
}

async function listening(server: Server): Promise<void> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
}

beforeAll(async () => {
  const onExpress = express().use(expressLimit(options()))
  onExpress.get('/', (_req, res) => void res.send('hello'))
  await listening(createServer(onExpress))
  const onFastify = Fastify()
  await onFastify.register(fastifyLimit, options())
  onFastify.get('/', async () => 'hello')
  await onFastify.listen({ host: '127.0.0.1', port: 0 })
  servers.push(onFastify.server)
  const onKoa = new Koa().use(koaLimit(options()))
  onKoa.use((ctx) => {
    ctx.body = 'hello'
  })
  await listening(createServer(onKoa.callback()))
})
afterAll(async () => {
  for (const server of servers) server.close().closeAllConnections()
  for (const store of stores) await store.close()
  for (const client of clients) await client.quit()
})

it('slowDown on Redis: servers of all frameworks delay by one count, refuse nobody and send no fields', async () => {
  const ports = servers.map((server) => (server.address() as AddressInfo).port) // each listens on a port
  for (let nth = 0; nth < 9; nth++) {
    const port = ports[nth % ports.length]
    const response = await fetch(`http://127.0.0.1:${port}/`)
    expect([response.status, await response.text()]).toEqual([200, 'hello'])
    expect([...response.headers.keys()].filter((field) => field.includes('ratelimit'))).toEqual([])
  }
  // The first has none; beyond the limit, where no more is counted, it grows no more.
  expect(used).toEqual([2, 3, 4, 5, 6, 7, 7, 7])
})
