import { once } from 'node:events'
import { createServer, ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { fastifySSE } from '@fastify/sse'
import websocket from '@fastify/websocket'
import { createAdaptorServer } from '@hono/node-server'
import { afterEach, describe, expect, test } from '@jest/globals'
import { type AdaptiveLimit, adaptiveLimit, type Shedding, shedding } from '@sluice/adaptive'
import { shed as expressShed } from '@sluice/adaptive/express'
import { shed as fastifyShed } from '@sluice/adaptive/fastify'
import { shed as fetchShed } from '@sluice/adaptive/fetch'
import { shed as koaShed } from '@sluice/adaptive/koa'
import { manualClock } from '@sluice/testing'
import express from 'express'
import Fastify, { type FastifyReply } from 'fastify'
import Koa from 'koa'
import { WebSocket } from 'ws'
import { frameworks } from './frameworks.ts'
import { until, Work } from './work.ts'

const closings: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close()
})

interface Begun {
  readonly load: Shedding
  readonly limit: AdaptiveLimit
  readonly clock: ReturnType<typeof manualClock>
}

function begin(): Begun {
  const clock = manualClock()
  const limit = adaptiveLimit({
    algorithm: 'aimd',
    min: 1,
    initial: 10,
    max: 10,
    samples: 1,
    window: 1,
    hold: '30s',
    clock,
  })
  return { clock, limit, load: shedding({ limit, loopDelay: { delayMs: 0, close: () => {} } }) }
}

/** From here on there is a usual latency, so that longer ones would be seen. */
async function usual({ limit, clock }: Begun): Promise<number | null> {
  const place = limit.acquire()
  await clock.advance(10)
  place?.release()
  return limit.latencyMs
}

async function listening(server: Server): Promise<number> {
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closings.push(() => new Promise((resolve) => server.close(resolve)))
  return (server.address() as AddressInfo).port // it listens on a port
}

async function connected(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  closings.push(() => socket.destroy())
  socket.write(text)
  await once(socket, 'data')
  return socket
}

const get = (path: string, ...fields: readonly string[]) =>
  `${[`GET ${path} HTTP/1.1`, 'Host: a', 'Accept: text/event-stream', ...fields].join('\r\n')}\r\n\r\n`

function hijack(reply: FastifyReply): void {
  reply.hijack()
  reply.raw.writeHead(200)
  reply.raw.write('x')
}

async function onFastify({ load }: Begun): Promise<number> {
  const app = Fastify()
  await app.register(websocket)
  await app.register(fastifySSE)
  await app.register(fastifyShed, { load })
  app.get('/ws', { websocket: true }, (socket) => socket.send('x'))
  app.get('/hijack', (_request, reply) => hijack(reply))
  app.get('/hijack-async', async (_request, reply) => hijack(reply))
  app.get('/plugin', { sse: true }, async (_request, reply) => {
    await reply.sse.send({ data: 'x' })
    reply.sse.keepAlive()
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  closings.push(() => app.close())
  return (app.server.address() as AddressInfo).port
}

/** What hangs up, once something has come. */
async function client(port: number, path: string): Promise<() => void> {
  if (path !== '/ws') {
    const socket = await connected(port, get(path))
    return () => socket.destroy()
  }
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`)
  socket.on('error', () => {})
  closings.push(() => socket.terminate())
  await once(socket, 'message')
  return () => socket.terminate()
}

describe.each(['/ws', '/hijack', '/hijack-async', '/plugin'])('on Fastify, %s', (path) => {
  test('is in flight as long as its client is there, and its time says nothing', async () => {
    const begun = begin()
    const { limit, clock } = begun
    const hangUp = await client(await onFastify(begun), path)
    expect(limit.inFlight).toBe(1)
    await clock.advance('20s')
    hangUp()
    await until(() => limit.inFlight === 0)
    expect([limit.limit, limit.latencyMs]).toEqual([10, null])
  })

  test('does not count as dropped when it lasts longer than `hold`', async () => {
    const begun = begin()
    const { limit, clock } = begun
    await client(await onFastify(begun), path)
    await clock.advance('31s')
    expect([limit.inFlight, limit.limit, limit.latencyMs]).toEqual([0, 10, null])
  })
})

/** By which an upgrade, raw writes and a socket that is taken come to a handler of Koa and Express. */
function serverOf(framework: 'Express' | 'Koa', { load }: Begun): Server {
  const answer = (path: string | undefined, response: ServerResponse) => {
    const { socket } = response.req
    if (path === '/raw') {
      response.writeHead(200)
      response.write('x')
      return
    }
    if (path === '/socket') response.detachSocket(socket)
    socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
  }
  const onKoa = () => {
    const app = new Koa()
    app.use(koaShed({ load })).use((ctx) => {
      ctx.respond = false
      answer(ctx.path, ctx.res)
    })
    return app.callback()
  }
  const onExpress = () => {
    const app = express()
    app.use(expressShed({ load }), (request, response) => answer(request.path, response))
    return app
  }
  const server = createServer(framework === 'Koa' ? onKoa() : onExpress())
  server.on('upgrade', (request, socket) => {
    socket.on('error', () => {})
    socket.on('end', () => socket.end()).resume()
    server.emit('request', request, new ServerResponse(request))
  })
  return server
}

const upgrade = ['Connection: Upgrade', 'Upgrade: websocket']

test.each([
  ['Express', '/socket', []],
  ['Express', '/upgrade', upgrade],
  ['Koa', '/raw', []],
  ['Koa', '/socket', []],
  ['Koa', '/upgrade', upgrade],
] as const)(
  'on %s, %s: in flight as long as its client is there, and its time says nothing',
  async (framework, path, fields) => {
    const begun = begin()
    const { limit, clock } = begun
    const port = await listening(serverOf(framework, begun))
    const socket = await connected(port, get(path, ...fields))
    const before = [limit.limit, await usual(begun)]
    expect(limit.inFlight).toBe(1)
    await clock.advance('20s')
    socket.destroy()
    await until(() => limit.inFlight === 0)
    expect([limit.limit, limit.latencyMs]).toEqual(before)
  },
)

describe.each(frameworks)('behind an unanswered request, on %s', (_name, start) => {
  test('who hangs up leaves no place, but that of a handler at work', async () => {
    const { load, limit, clock } = begin()
    const work = new Work()
    const site = await start({ load, work, priority: () => 'default' })
    closings.push(() => site.close())
    work.stop()
    const socket = connect(site.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(get('/never') + get('/ok') + get('/stream') + get('/busy') + get('/wait'))
    await until(() => work.begun.length === 5)
    expect(limit.inFlight).toBe(5)
    await clock.advance('20s')
    socket.destroy()
    // One never ends, and one waits.
    await until(() => limit.inFlight === 2)
    work.go()
    await until(() => limit.inFlight === 1)
    // What was not sent has waited for another response, and none was dropped.
    expect([limit.limit, limit.latencyMs]).toEqual([10, null])
  })
})

test('behind an unanswered request, around a Web-standard handler, who hangs up leaves no place', async () => {
  const { load, limit } = begin()
  let asked = 0
  const around = fetchShed({ load })
  const handler = around((request: Request) => {
    asked++
    return request.url.endsWith('/never') ? new Promise<Response>(() => {}) : new Response('ok')
  })
  const server = createAdaptorServer({ fetch: handler, overrideGlobalObjects: false }) as Server
  const socket = connect(await listening(server), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(get('/never') + get('/ok').repeat(3))
  await until(() => asked === 4)
  socket.destroy()
  await until(() => limit.inFlight === 1)
})

test.each<[string, (response: ServerResponse) => void]>([
  ['ended', (response) => response.end()],
  ['destroyed', (response) => response.destroy()],
])(
  'on Express, an answer that was begun leaves its place once it is %s behind its client, also behind an unanswered request',
  async (_title, finish) => {
    const { load, limit } = begin()
    const answers: ServerResponse[] = []
    const app = express()
    app.use(expressShed({ load }), (_request, response) => {
      if (answers.push(response) > 1) response.write('x')
    })
    const socket = connect(await listening(createServer(app)), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(get('/never') + get('/begun'))
    await until(() => answers.length === 2)
    socket.destroy()
    await until(() => answers.every(({ destroyed, socket }) => destroyed || socket?.destroyed))
    expect(limit.inFlight).toBe(2)
    for (const answer of answers) finish(answer)
    expect(limit.inFlight).toBe(0)
  },
)
