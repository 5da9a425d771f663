import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer, upgradeWebSocket } from '@hono/node-server'
import { afterEach, describe, expect, it } from '@jest/globals'
import { concurrency, createLimiter, memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { serve } from 'crossws/server/node'
import { defineWebSocketHandler, H3 } from 'h3'
import { Hono } from 'hono'
import { WebSocket, WebSocketServer } from 'ws'
import * as h3 from '../src/h3.ts'
import * as hono from '../src/hono.ts'
import { rateLimit } from '../src/index.ts'

type Ended = { readonly status: number; readonly aborted: boolean }

const closings: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close()
})

function begin() {
  const clock = manualClock()
  const policy = concurrency({ limit: 1, lease: '30s' })
  const limiter = createLimiter({ policy, store: memoryStore({ clock }) })
  const settled: Ended[] = []
  const settle = (_: object, ended: Ended) => {
    settled.push(ended)
    return undefined
  }
  return { clock, limiter, settled, options: { limiter, key: () => 'bob', ip: () => '127.0.0.1', settle } }
}

type Options = ReturnType<typeof begin>['options']

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closings.push(() => server.close())
  return (server.address() as AddressInfo).port // it listens on a port
}

/** Where optional members are exact, Hono's type is not that of ws. */
const webSockets = () => ({ server: new WebSocketServer({ noServer: true }) as never })

function onHono(options: Options): Promise<number> {
  const app = new Hono()
  app.use(hono.rateLimit(options))
  app.get(
    '/',
    upgradeWebSocket(() => ({ onOpen: (_event, socket) => socket.send('hi') })),
  )
  const websocket = webSockets()
  return portOf(createAdaptorServer({ fetch: app.fetch, websocket, overrideGlobalObjects: false }) as Server)
}

function onBareHono(options: Options): Promise<number> {
  const app = new Hono()
  app.get(
    '/',
    upgradeWebSocket(() => ({ onOpen: (_event, socket) => socket.send('hi') })),
  )
  const websocket = webSockets()
  const fetch = rateLimit(options)((request: Request, env: object) => app.fetch(request, env))
  return portOf(createAdaptorServer({ fetch, websocket, overrideGlobalObjects: false }) as Server)
}

async function onH3(options: Options): Promise<number> {
  const app = new H3()
  app.use(h3.rateLimit(options))
  app.get('/', defineWebSocketHandler({ open: (peer) => void peer.send('hi') }))
  const server = serve({
    fetch: (request) => app.fetch(request),
    port: 0,
    hostname: '127.0.0.1',
    silent: true,
    websocket: {},
  })
  await server.ready()
  closings.push(() => server.close(true))
  return Number(new URL(server.url ?? '').port)
}

function opened(port: number): WebSocket {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`)
  closings.push(() => socket.terminate())
  return socket
}

describe.each([
  ['Hono', onHono],
  ["Hono's server alone", onBareHono],
  ['h3 2', onH3],
])('a WebSocket on Node, with %s', (_name, start) => {
  it('has its place as long as it is open, and no longer', async () => {
    const { clock, limiter, options, settled } = begin()
    const port = await start(options)
    const socket = opened(port)
    socket.on('error', () => {})
    await once(socket, 'message')
    await clock.advance('10m')
    expect((await limiter.peek('bob')).remaining).toBe(0)
    socket.terminate()
    while ((await limiter.peek('bob')).remaining !== 1) await new Promise((resolve) => setImmediate(resolve))
    expect(settled).toEqual([{ status: 101, aborted: false }])
  })

  it('is refused where no place is free', async () => {
    const { limiter, options } = begin()
    await limiter.check('bob')
    const [error] = await once(opened(await start(options)), 'error')
    expect(String(error)).toMatch(/Unexpected server response: 4\d\d|hang up/)
  })
})
