import { type EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import http2 from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { type Duplex, PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, it } from '@jest/globals'
import { concurrency, createLimiter, memoryStore } from '@sluice/core'
import { guardRequest } from '../src/guard-request.ts'
import { guardUpgrade } from '../src/upgrade.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const logger = { warn: () => {}, error: () => {} }

/** Asks a server on which every request takes a place of this many limiters, and is settled by each. */
async function ask(limiters: number, handler: (response: ServerResponse) => void) {
  const store = memoryStore()
  let settled = 0
  const all = Array.from({ length: limiters }, (_, i) => {
    const limiter = createLimiter({ policy: concurrency({ limit: 1 }), name: `slots-${i}`, store, logger })
    const settle = () => void settled++
    return { limiter, guard: guardRequest<IncomingMessage, 'default'>({ limiter, key: () => 'bob', settle }) }
  })
  const server = createServer(async (request, response) => {
    for (const { guard } of all) if (!(await guard(request, response))) return
    handler(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => new Promise((resolve) => server.close(resolve)))
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1') // it listens
  closing.push(() => client.destroy())
  client.resume().write('GET / HTTP/1.1\r\nHost: zoo\r\n\r\n')
  return {
    client,
    /** When all places are free again, and all is settled: how often each was. */
    async over(): Promise<number> {
      for (const { limiter } of all) while ((await limiter.peek('bob')).remaining < 1) await setImmediate()
      while (settled < limiters) await setImmediate()
      return settled / limiters
    },
  }
}

function listenersOf(emitter: EventEmitter) {
  return Object.fromEntries(emitter.eventNames().map((name) => [String(name), emitter.listenerCount(name)]))
}

/** How many listen to a response that a stream is piped into, and to that stream. */
async function whileStreamed(limiters: number): Promise<unknown> {
  const source = new PassThrough()
  let piped = (_response: ServerResponse) => {}
  const response = new Promise<ServerResponse>((resolve) => {
    piped = resolve
  })
  const { over } = await ask(limiters, (response) => {
    source.pipe(response)
    piped(response)
  })
  const counts = [listenersOf(await response), listenersOf(source)]
  source.end('whole')
  return [...counts, await over()]
}

/** How many listen to a response whose client has gone. */
async function withoutClient(limiters: number): Promise<unknown> {
  let reached = (_response: ServerResponse) => {}
  const begun = new Promise<ServerResponse>((resolve) => {
    reached = resolve
  })
  const { client, over } = await ask(limiters, reached)
  const response = await begun
  const closed = once(response, 'close')
  client.destroy()
  await closed
  const counts = listenersOf(response)
  response.end('too late')
  return [counts, await over()]
}

/** How many listen to a request of HTTP/2, its response, its stream and its session, while its handler runs. */
async function onHttp2(limiters: number): Promise<unknown> {
  const store = memoryStore()
  const guards = Array.from({ length: limiters }, (_, i) =>
    guardRequest<http2.Http2ServerRequest>({
      policy: concurrency({ limit: 1 }),
      name: `slots-${i}`,
      store,
      logger,
      settle: () => undefined,
    }),
  )
  let counts: unknown
  const server = http2.createServer(async (request, response) => {
    for (const guard of guards) if (!(await guard(request, response))) return
    counts = [request, response, response.stream, response.stream.session as EventEmitter].map(listenersOf) // it is open
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => new Promise((resolve) => server.close(resolve)))
  const client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) // it listens
  closing.push(() => client.destroy())
  await once(client.request().resume(), 'close')
  return counts
}

/** How many listen to the socket of an upgrade that as many guards have let pass. */
async function onUpgrade(limiters: number): Promise<unknown> {
  const store = memoryStore()
  const policy = concurrency({ limit: 1 })
  const all = Array.from({ length: limiters }, (_, i) =>
    createLimiter({ policy, name: `${i}`, store, logger }),
  )
  const guards = all.map((limiter) => guardUpgrade({ limiter, key: () => 'bob' }))
  const passed = new Promise<Duplex>((resolve) => {
    const server = createServer().on('upgrade', async (request, socket) => {
      for (const guard of guards) expect(await guard(request, socket)).toBe(true)
      resolve(socket)
    })
    closing.push(() => new Promise((closed) => server.close(closed)))
    server.listen(0, '127.0.0.1', () => {
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1') // it listens
      closing.push(() => client.destroy())
      client.write('GET / HTTP/1.1\r\nHost: zoo\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    })
  })
  const socket = await passed
  const counts = listenersOf(socket)
  socket.destroy()
  for (const limiter of all) while ((await limiter.peek('bob')).remaining < 1) await setImmediate()
  return counts
}

it.each([
  ['on HTTP/2', onHttp2],
  ['to the socket of an upgrade', onUpgrade],
  ['while a stream is piped into it', whileStreamed],
  ['once its client has gone', withoutClient],
])('a dozen limiters that hold and settle listen to a response as one does: %s', async (_when, look) => {
  expect(await look(12)).toEqual(await look(1))
})
