// Serves requests that hold a place, over real sockets, and prints how many bytes of each only a full collection frees. Started by the guard.
import { once } from 'node:events'
import { Agent, createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { concurrency, redisStore } from '@sluice/core'
import { rateLimit as limitFastify } from '@sluice/fastify'
import { rateLimit as limitKoa } from '@sluice/koa'
import { fastify } from 'fastify'
import { Redis } from 'ioredis'
import Koa from 'koa'

const [port, name] = process.argv.slice(2) as [string, keyof typeof servers]
const client = new Redis(Number(port), '127.0.0.1', { socketTimeout: 10_000 })
const store = redisStore(client, { deadline: '10s' })
const logger = { warn() {}, error() {} }
const options = { policy: concurrency({ limit: 1000 }), store, logger }

const servers = {
  async fastify() {
    const app = fastify({ forceCloseConnections: true })
    await app.register(limitFastify, options)
    app.get('/', () => turn('hello'))
    await app.ready()
    return app.server
  },
  async koa() {
    const app = new Koa().use(limitKoa(options))
    app.use(async (ctx) => {
      ctx.body = await turn('hello')
    })
    return createServer(app.callback())
  },
}

const server = await servers[name]()
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port: own } = server.address() as AddressInfo // that of a port
const agent = new Agent({ keepAlive: true })

async function request(): Promise<void> {
  const [response] = await once(get({ host: '127.0.0.1', port: own, agent }), 'response')
  response.resume()
  await once(response, 'end')
}

async function requests(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await Promise.all(Array.from({ length: 8 }, request))
    // What has survived two of these is old.
    if (i % 5 === 0) globalThis.gc?.({ type: 'minor' })
  }
}

await requests(100)
globalThis.gc?.()
const turns = 100
await requests(turns)
globalThis.gc?.({ type: 'minor' })
globalThis.gc?.({ type: 'minor' })
const before = process.memoryUsage().heapUsed
globalThis.gc?.()
console.log(Math.max(0, before - process.memoryUsage().heapUsed) / (8 * turns))
server.close()
agent.destroy()
client.disconnect()
