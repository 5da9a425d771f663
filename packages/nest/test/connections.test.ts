import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { afterEach, expect, it } from '@jest/globals'
import { Module } from '@nestjs/common'
import { IoAdapter } from '@nestjs/platform-socket.io'
import { WsAdapter } from '@nestjs/platform-ws'
import { WebSocketGateway } from '@nestjs/websockets'
import { concurrency, createLimiter, fixedWindow, type Policy } from '@sluice/core'
import { guardRequest, guardUpgrade } from '@sluice/http'
import { io, type Socket } from 'socket.io-client'
import { WebSocket } from 'ws'
import { listening, still } from './serve.ts'
import { onExpress } from './start.ts'

const closing: (() => unknown)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const limiterOf = (policy: Policy) => createLimiter(still({ policy }))
const limiterOfOne = () => limiterOf(concurrency({ limit: 1 }))

async function untilFree(limiter: ReturnType<typeof limiterOf>): Promise<void> {
  while ((await limiter.peek('bob')).remaining === 0) await new Promise((resolve) => setImmediate(resolve))
}

it('a gateway on ws opens what guardUpgrade lets through, asked as verifyClient', async () => {
  const limiter = limiterOfOne()
  const guard = guardUpgrade({ limiter, key: () => 'bob' })
  const verifyClient = async ({ req }: { req: IncomingMessage }, done: (pass: boolean) => void) => {
    if (await guard(req, req.socket)) done(true)
  }
  let opened = 0
  @WebSocketGateway({ verifyClient })
  class ZooGateway {
    handleConnection(): void {
      opened++
    }
  }
  @Module({ providers: [ZooGateway] })
  class SiteModule {}
  const app = await listening(onExpress, SiteModule, (site) => site.useWebSocketAdapter(new WsAdapter(site)))
  const url = (await app.getUrl()).replace('http', 'ws')

  const first = new WebSocket(url)
  await once(first, 'open')
  const refused = new WebSocket(url)
  expect((await once(refused, 'error'))[0].message).toBe('Unexpected server response: 429')
  expect(opened).toBe(1)
  first.close()
  await untilFree(limiter)
})

/** An application with a gateway on socket.io behind a limit in front of its engine, and what connects to it. */
async function onSocketIo(limiter: ReturnType<typeof limiterOf>): Promise<(transports: string[]) => Socket> {
  const limit = guardRequest({ limiter, key: () => 'bob' })
  @WebSocketGateway()
  class ZooGateway {
    afterInit(server: { readonly engine: { use(middleware: object): void } }): void {
      server.engine.use(async (...[req, res, next]: [...Parameters<typeof limit>, () => void]) => {
        if (await limit(req, res)) next()
      })
    }
  }
  @Module({ providers: [ZooGateway] })
  class SiteModule {}
  const app = await listening(onExpress, SiteModule, (site) => site.useWebSocketAdapter(new IoAdapter(site)))
  const url = await app.getUrl()
  return (transports) => {
    const socket = io(url, { transports, reconnection: false, forceNew: true })
    closing.push(() => socket.close())
    return socket
  }
}

it('a gateway on socket.io opens what guardRequest lets through, in front of its engine', async () => {
  const limiter = limiterOfOne()
  const open = await onSocketIo(limiter)
  const connect = () =>
    new Promise<string>((resolve) => {
      const socket = open(['websocket'])
      socket.on('connect', () => resolve('open'))
      socket.on('connect_error', () => resolve('refused'))
    })

  expect([await connect(), await connect()]).toEqual(['open', 'refused'])
  for (const close of closing.splice(0)) close()
  await untilFree(limiter)
})

it('a connection of socket.io that begins by polling is several requests, and one by WebSocket alone is one', async () => {
  const limiter = limiterOf(fixedWindow({ limit: 100, window: '1h' }))
  const open = await onSocketIo(limiter)
  const counted = async () => 100 - (await limiter.peek('bob')).remaining

  await new Promise((resolve) => open(['websocket']).on('connect', () => resolve(null)))
  expect(await counted()).toBe(1)
  const { io: manager } = open(['polling', 'websocket'])
  await new Promise((resolve) => manager.on('open', () => manager.engine.on('upgrade', resolve)))
  expect(await counted()).toBeGreaterThanOrEqual(1 + 4)
})
