import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { describe, expect, it } from '@jest/globals'
import { concurrency, redisStore } from '@sluice/core'
import { rateLimit as expressLimit } from '@sluice/express'
import { rateLimit as fastifyLimit } from '@sluice/fastify'
import { rateLimit as koaLimit } from '@sluice/koa'
import express from 'express'
import Fastify from 'fastify'
import { Redis } from 'ioredis6'
import Koa from 'koa'
import { socket } from '../src/redis-socket.ts'

const limit = 2
const quiet = { warn: () => {}, error: () => {} }

/** What all servers have in flight together. */
class Work {
  running = 0
  most = 0
  begun = 0

  /** Goes on whether anybody is there to be answered or not. */
  async do(): Promise<void> {
    this.begun++
    this.running++
    this.most = Math.max(this.most, this.running)
    await new Promise((resolve) => setTimeout(resolve, 150))
    this.running--
  }
}

type Build = (options: Omit<ReturnType<typeof optionsOf>, 'client'>, work: Work) => Promise<Server>

function optionsOf(name: string) {
  const client = new Redis({ path: socket })
  // However busy this machine is, Redis decides.
  const store = redisStore(client, { deadline: '20s' })
  return { policy: concurrency({ limit }), name, store, client, logger: quiet, key: () => 'everybody' }
}

const frameworks: Readonly<Record<string, Build>> = {
  async Express(options, work) {
    const app = express()
    app.use(expressLimit(options))
    app.get('/', async (_req, res) => {
      await work.do()
      res.send('done')
    })
    return listening(createServer(app))
  },
  async Fastify(options, work) {
    const app = Fastify()
    await app.register(fastifyLimit, options)
    app.get('/', async () => {
      await work.do()
      return 'done'
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    return app.server
  },
  async Koa(options, work) {
    const app = new Koa()
    app.use(koaLimit(options))
    app.use(async (ctx) => {
      await work.do()
      ctx.body = 'done'
    })
    return listening(createServer(app.callback()))
  },
}

async function listening(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

/** Connects, asks, and hangs up: at once, in the middle of the work, or behind it. */
async function hangUp(server: Server, afterMs: number): Promise<void> {
  const { port } = server.address() as AddressInfo // it listens on a port
  const socket = net.connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nHost: zoo\r\n\r\n')
  socket.resume()
  await new Promise((resolve) => setTimeout(resolve, afterMs))
  socket.destroy()
}

describe.each(Object.entries(frameworks))('%s on two servers and Redis', (_, build) => {
  it('has no more than the limit in flight while clients connect and hang up', async () => {
    const work = new Work()
    const name = randomUUID()
    const both = [optionsOf(name), optionsOf(name)]
    const servers: Server[] = []
    for (const { store, client: _, ...options } of both) {
      await store.ready?.()
      servers.push(await build({ ...options, store }, work))
    }
    const crowd: Promise<void>[] = []
    for (let i = 0; i < 200; i++) {
      const server = servers[i % servers.length]
      if (server !== undefined) crowd.push(hangUp(server, [0, 1, 20, 80, 400][i % 5] ?? 0))
      if (i % 10 === 9) await new Promise((resolve) => setTimeout(resolve, 25))
    }
    await Promise.all(crowd)
    while (work.running > 0) await new Promise((resolve) => setImmediate(resolve))
    expect(work.most).toBe(limit)
    // Places came free again: more than those that began at first have worked.
    expect(work.begun).toBeGreaterThan(limit)
    for (const server of servers) await new Promise((resolve) => server.close(resolve))
    for (const { store, client } of both) {
      expect(store.health?.().fallbackDecisions).toBe(0)
      await store.close()
      client.disconnect()
    }
  })
})
