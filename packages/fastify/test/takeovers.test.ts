import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { fastifySSE } from '@fastify/sse'
import websocket from '@fastify/websocket'
import { afterEach, describe, expect, it } from '@jest/globals'
import { concurrency, createLimiter, memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { WebSocket } from 'ws'
import { rateLimit } from '../src/index.ts'

let app: FastifyInstance | undefined

afterEach(async () => {
  app?.server.closeAllConnections()
  await app?.close()
  app = undefined
})

function begin(reply: FastifyReply): void {
  reply.hijack()
  reply.raw.writeHead(200, { 'Content-Type': 'text/event-stream' })
  reply.raw.write('data: hi\n\n')
}

/** Each answers as long as its client likes. */
function addRoutes(app: FastifyInstance): void {
  app.get('/ws', { websocket: true }, (socket) => socket.send('hi'))
  app.get('/ws-async', { websocket: true }, async (socket) => socket.send('hi'))
  app.get('/ws-waiting', { websocket: true }, async (socket) => {
    socket.send('hi')
    await once(socket, 'message')
  })
  app.get('/hijack', (_request, reply) => begin(reply))
  app.get('/hijack-async', async (_request, reply) => begin(reply))
  app.get('/hijack-closing', async (request, reply) => {
    begin(reply)
    await once(request.raw.socket, 'close')
  })
  app.get('/hijack-ending', (_request, reply) => {
    begin(reply)
    reply.raw.on('close', () => reply.raw.end())
  })
  app.get('/plugin', { sse: true }, async (_request, reply) => {
    await reply.sse.send({ data: 'hi' })
    reply.sse.keepAlive()
  })
  app.get('/plugin-stream', { sse: 'only' }, async (request, reply) => {
    reply.sse.keepAlive()
    await reply.sse.send({ data: 'hi' })
    await once(request.raw.socket, 'close')
  })
}

const paths = [
  '/ws',
  '/ws-async',
  '/ws-waiting',
  '/hijack',
  '/hijack-async',
  '/hijack-closing',
  '/hijack-ending',
  '/plugin',
  '/plugin-stream',
]

/** What hangs up, once something has come. */
async function connected(port: number, path: string): Promise<() => void> {
  if (path.startsWith('/ws')) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`)
    socket.on('error', () => {})
    await once(socket, 'message')
    return () => socket.terminate()
  }
  const headers = { Accept: 'text/event-stream' }
  const request = http.get({ port, host: '127.0.0.1', path, agent: false, headers })
  request.on('error', () => {})
  const [response] = await once(request, 'response')
  response.on('error', () => {})
  await once(response, 'data')
  return () => request.destroy()
}

const orders = [
  ['behind their plugins', true],
  ['ahead of their plugins', false],
] as const

describe.each(orders)('a response that is taken over, limited %s', (_order, behind) => {
  it.each(paths)('%s: its place is taken as long as its client is there, and no longer', async (path) => {
    const clock = manualClock()
    const policy = concurrency({ limit: 2, lease: '30s' })
    const limiter = createLimiter({ policy, store: memoryStore({ clock }) })
    app = Fastify()
    if (!behind) await app.register(rateLimit, { limiter, key: () => 'bob' })
    await app.register(websocket)
    await app.register(fastifySSE)
    if (behind) await app.register(rateLimit, { limiter, key: () => 'bob' })
    addRoutes(app)
    await app.listen({ port: 0, host: '127.0.0.1' })
    const hangUp = await connected((app.server.address() as AddressInfo).port, path)
    await clock.advance('10m')
    expect((await limiter.peek('bob')).remaining).toBe(1)
    hangUp()
    // Before its lease has ended: the clock stands still.
    while ((await limiter.peek('bob')).remaining !== 2) await new Promise((resolve) => setImmediate(resolve))
  })
})
