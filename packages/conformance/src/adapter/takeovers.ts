import { type IncomingMessage, ServerResponse } from 'node:http'
import net from 'node:net'
import type { Duplex } from 'node:stream'
import { expect } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import { closeOf } from './aborting.ts'
import type { Client } from './client.ts'
import { rawRequest, upgradeRequest } from './raw.ts'
import type { Scenario } from './scenario.ts'
import type { Exchange, Handler, Options } from './site.ts'
import { slots, until, untilLeft } from './slots.ts'
import { signal, type World } from './world.ts'

/** Upgrades go the way of requests, as libraries of WebSockets send them; some leave the response without a socket. */
function routeUpgrades(world: World, withSocket: boolean): void {
  const { server } = world.running
  server.on('upgrade', (request: IncomingMessage, socket: net.Socket) => {
    socket.on('error', () => {})
    // As all do that read it.
    socket.on('end', () => socket.end()).resume()
    const response = new ServerResponse(request)
    if (withSocket) response.assignSocket(socket)
    server.emit('request', request, response)
  })
}

/** A connection that sends this, and is there once something comes back. */
async function connected(client: Client, text: string): Promise<net.Socket> {
  const socket = net.connect(client.target)
  socket.on('error', () => {})
  socket.write(text)
  await new Promise((resolve) => socket.once('data', resolve))
  return socket
}

const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
const plain = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n'

/** Takes the connection of a request over, past its response. */
function takeSocket({ raw, takeOver }: Exchange, head: string): Duplex {
  takeOver?.()
  const { socket } = raw.req
  if (raw.socket !== null) raw.detachSocket(socket)
  socket.write(head)
  return socket
}

/** By which means a handler takes a response over. */
interface Means {
  readonly by: string
  readonly text: string
  readonly take: Handler
  /** For upgrades: whether their responses have the socket. */
  readonly withSocket?: boolean
}

const upgraded: Handler = ({ raw, takeOver }) => {
  takeOver?.()
  raw.req.socket.write(switching)
}

const means: readonly Means[] = [
  { by: 'an upgrade', text: upgradeRequest(), take: upgraded, withSocket: true },
  {
    by: 'an upgrade whose response has no socket',
    text: upgradeRequest(),
    take: upgraded,
    withSocket: false,
  },
  {
    by: 'a detached socket',
    text: rawRequest({ connection: 'keep-alive' }),
    take: (exchange) => void takeSocket(exchange, plain),
  },
  {
    by: 'raw writes of a handler that has returned',
    text: rawRequest({ connection: 'keep-alive' }),
    take: ({ raw, takeOver }) => {
      takeOver?.()
      raw.writeHead(200, { 'Content-Type': 'text/event-stream' })
      raw.write('data: 1\n\n')
    },
  },
]

async function open(world: World, options: Options, handler: Handler, withSocket = true): Promise<Client> {
  const client = await world.open({ limits: [options], routes: [{ handler }] })
  routeUpgrades(world, withSocket)
  return client
}

const ends = means.map(({ by, text, take, withSocket }): Scenario => {
  return {
    title: `taken over by ${by}: its place is taken as long as its connection is there, and no longer`,
    async run(world) {
      const { limiter, options } = slots(world, { limit: 5 })
      const client = await open(world, options, take, withSocket)
      const socket = await connected(client, text)
      await world.clock.advance('10m')
      expect((await limiter.peek('bob')).remaining).toBe(4)
      socket.destroy()
      await untilLeft(limiter, 5)
    },
  }
})

const tellsOfEnd = means.slice(0, 3).map(({ by, text, take, withSocket }): Scenario => {
  return {
    title: `taken over by ${by}: settled once, and decision.signal is aborted, when its connection ends`,
    async run(world) {
      const settled: unknown[] = []
      const over = signal()
      const stopped = signal()
      const settle: Options['settle'] = (_, ended) => {
        settled.push(ended)
        over.done()
        return undefined
      }
      const handler: Handler = (exchange) => {
        exchange.decision?.signal.addEventListener('abort', () => stopped.done())
        return take(exchange)
      }
      const policy = fixedWindow({ limit: 5, window: '10s' })
      const client = await open(world, world.tickets({ policy, settle }), handler, withSocket)
      const socket = await connected(client, text)
      expect(settled).toEqual([])
      socket.destroy()
      await Promise.all([over.promise, stopped.promise])
      const upgrade = { status: 101, aborted: false }
      expect(settled).toEqual([withSocket === undefined ? { status: 499, aborted: true } : upgrade])
    },
  }
})

/** Responses that somebody else writes: WebSockets, streams of events, sockets that were taken from them. */
export const takeovers: readonly Scenario[] = [
  ...ends,
  ...tellsOfEnd,
  {
    title: 'taken over: a handler that waits for what never comes is not renewed behind its connection',
    async run(world) {
      const { limiter, options } = slots(world, { limit: 5 })
      const gone = signal()
      const handler: Handler = async (exchange) => {
        exchange.decision?.signal.addEventListener('abort', () => gone.done())
        await upgraded(exchange)
        await new Promise(() => {})
      }
      const client = await open(world, options, handler)
      const socket = await connected(client, upgradeRequest())
      socket.destroy()
      await gone.promise
      await world.clock.advance('30s')
      expect((await limiter.peek('bob')).remaining).toBe(5)
    },
  },
  {
    title:
      'taken over: a handler that ends a stream of events when its client goes has left its place by then',
    async run(world) {
      const { limiter, options } = slots(world, { limit: 5 })
      const handler: Handler = async (exchange) => {
        const { raw, takeOver } = exchange
        takeOver?.()
        raw.writeHead(200, { 'Content-Type': 'text/event-stream' })
        raw.write('data: 1\n\n')
        await closeOf(exchange)
        raw.end()
      }
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      const socket = await connected(client, rawRequest({ connection: 'keep-alive' }))
      expect((await limiter.peek('bob')).remaining).toBe(4)
      socket.destroy()
      await untilLeft(limiter, 5)
    },
  },
  {
    title: 'taken over: who waits for a place with an upgrade and goes leaves the line',
    async run(world) {
      const { limiter, options } = slots(world, { limit: 5 })
      const taken = await Promise.all(Array.from({ length: 5 }, () => limiter.check('bob')))
      const client = await open(world, { ...options, maxWait: '20s' } as Options, upgraded, false)
      const socket = net.connect(client.target)
      socket.on('error', () => {})
      socket.write(upgradeRequest())
      await until(() => limiter.health().sleepers > 0)
      socket.destroy()
      await until(() => limiter.health().sleepers === 0)
      for (const decision of taken) await decision.release()
      expect((await limiter.peek('bob')).remaining).toBe(5)
    },
  },
]
