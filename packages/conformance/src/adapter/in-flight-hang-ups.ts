import http2 from 'node:http2'
import net from 'node:net'
import { Readable } from 'node:stream'
import { expect } from '@jest/globals'
import { aborted, closeOf, readAddress } from './aborting.ts'
import { rawRequest } from './raw.ts'
import type { Scenario } from './scenario.ts'
import type { Handler, Options } from './site.ts'
import { slots, untilLeft } from './slots.ts'
import { signal, type World } from './world.ts'

/** A handler that works on until it is let go, whether its client is there or not. */
class Workshop {
  running = 0
  most = 0
  begun = 0
  reached = signal()
  readonly #over = signal()
  readonly handler: Handler = async (exchange) => {
    this.begun++
    this.running++
    this.most = Math.max(this.most, this.running)
    const closed = closeOf(exchange)
    this.reached.done()
    await closed
    await this.#over.promise
    this.running--
    exchange.send(200, 'too late')
  }

  get over(): Promise<void> {
    return this.#over.promise
  }

  end(): void {
    this.#over.done()
  }
}

/** Connects and goes, again and again: as soon as a handler has it, or it is refused. */
async function hangUp(world: World, options: Options, shop: Workshop): Promise<readonly number[]> {
  const client = await world.open({ limits: [options], routes: [{ handler: shop.handler }] })
  const refused: number[] = []
  for (let i = 0; i < 20; i++) {
    shop.reached = signal()
    const request = client.open()
    request.on('error', () => {})
    const answered = new Promise<void>((resolve) => {
      request.on('response', (response) => {
        refused.push(response.statusCode ?? 0)
        response.resume().on('end', resolve)
      })
    })
    const gone = new Promise((resolve) => request.on('close', resolve))
    await Promise.race([shop.reached.promise, answered])
    request.destroy()
    await gone
  }
  return refused
}

/** How the client of a request whose body has begun goes. */
const breaks: Readonly<
  Record<string, (stream: http2.ClientHttp2Stream, session: http2.ClientHttp2Session) => void>
> = {
  'it cancels the stream': (stream) => stream.close(http2.constants.NGHTTP2_CANCEL),
  'it resets the stream without an error': (stream) => stream.close(http2.constants.NGHTTP2_NO_ERROR),
  'it resets the stream by an error': (stream) => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR),
  'its session ends': (_stream, session) => session.destroy(),
}

/** Clients that hang up while the work that they have caused goes on. */
export const inFlightHangUps: readonly Scenario[] = [
  {
    title: 'of a client that connects and hangs up no more than the limit are in flight',
    async run(world) {
      const { options, limiter } = slots(world, { limit: 2 })
      const shop = new Workshop()
      const refused = await hangUp(world, options, shop)
      expect([shop.begun, shop.most]).toEqual([2, 2])
      expect(refused).toEqual(Array(18).fill(429))
      shop.end()
      await untilLeft(limiter, 2)
    },
  },
  {
    title: 'a handler that is known to work on is renewed without its client, for longer than its lease',
    async run(world) {
      const { options, limiter } = slots(world, { limit: 2 })
      const shop = new Workshop()
      const client = await world.open({ limits: [options], routes: [{ handler: shop.handler }] })
      const gone = signal()
      const request = client.open()
      request.on('error', () => {})
      request.on('close', gone.done)
      await shop.reached.promise
      request.destroy()
      await gone.promise
      await world.clock.advance('10m')
      expect((await limiter.peek('bob')).remaining).toBe(1)
      shop.end()
      await untilLeft(limiter, 2)
    },
  },
  {
    title: 'a request whose client goes before its handler begins is renewed once that works',
    async run(world) {
      const { options, limiter } = slots(world, { limit: 2 })
      const reached = signal()
      const asked = signal()
      const shop = new Workshop()
      const client = await world.open({
        first: (exchange) => {
          readAddress(exchange)
          void closeOf(exchange).then(asked.done)
        },
        limits: [
          {
            ...options,
            key: async () => {
              reached.done()
              await asked.promise
              return 'bob'
            },
          } as Options,
        ],
        routes: [
          {
            handler: async (exchange) => {
              shop.reached.done()
              await shop.over
              exchange.send(200, 'too late')
            },
          },
        ],
      })
      aborted(client, reached.promise)
      await shop.reached.promise
      await world.clock.advance('10m')
      expect((await limiter.peek('bob')).remaining).toBe(1)
      shop.end()
      await untilLeft(limiter, 2)
    },
  },
  {
    title:
      'a handler that is known to work on behind its answer is renewed while its request comes in, and no longer without its client',
    async run(world) {
      const { options, limiter } = slots(world, { limit: 2 })
      const reached = signal()
      const gone = signal()
      const handler: Handler = async ({ raw, takeOver }) => {
        takeOver?.()
        raw.req.socket.once('close', gone.done)
        raw.end('early')
        reached.done()
        // Node does not say that the rest will never come.
        for await (const _ of raw.req);
      }
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      const socket = net.connect(client.target)
      socket.write(rawRequest({ fields: ['Content-Length: 10'], connection: 'keep-alive' }))
      socket.resume()
      await reached.promise
      await world.clock.advance('10m')
      expect((await limiter.peek('bob')).remaining).toBe(1)
      socket.destroy()
      await gone.promise
      await world.clock.advance('1m')
      expect((await limiter.peek('bob')).remaining).toBe(2)
    },
  },
  {
    title: 'a handler that hears of the hang-up frees its place by release()',
    async run(world) {
      const { options, limiter } = slots(world, { limit: 2 })
      const reached = signal()
      const released = signal()
      const handler: Handler = async (exchange) => {
        reached.done()
        await closeOf(exchange)
        await exchange.decision?.release()
        released.done()
        await new Promise(() => {})
      }
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      aborted(client, reached.promise)
      await released.promise
      await untilLeft(limiter, 2)
    },
  },
  {
    title: 'releaseOnAbort frees the place at the hang-up, for handlers that stop by decision.signal',
    async run(world) {
      const { options, limiter } = slots(world, { limit: 2 }, { releaseOnAbort: true })
      const stopped = signal()
      const reached = signal()
      const never = new Promise(() => {})
      const handler: Handler = async ({ decision }) => {
        decision?.signal.addEventListener('abort', () => stopped.done())
        reached.done()
        await never
      }
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      aborted(client, reached.promise)
      await stopped.promise
      await untilLeft(limiter, 2)
    },
  },
  {
    title: 'a handler that throws after the hang-up frees its place',
    async run(world) {
      const { options, limiter } = slots(world, { limit: 2 })
      const reached = signal()
      const over = signal()
      const handler: Handler = async (exchange) => {
        const closed = closeOf(exchange)
        reached.done()
        await closed
        await over.promise
        throw new Error('broken')
      }
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      aborted(client, reached.promise)
      await reached.promise
      expect((await limiter.peek('bob')).remaining).toBe(1)
      over.done()
      await untilLeft(limiter, 2)
    },
  },
  {
    title: 'a stream that a handler begins to send after the hang-up frees its place',
    async run(world) {
      const { options, limiter } = slots(world, { limit: 2 })
      const reached = signal()
      const endless = new Readable({
        read() {
          this.push('more')
        },
      })
      const handler: Handler = async (exchange) => {
        const closed = closeOf(exchange)
        reached.done()
        await closed
        exchange.send(200, endless)
      }
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      aborted(client, reached.promise)
      await reached.promise
      await untilLeft(limiter, 2)
      endless.destroy()
    },
  },
  {
    title: 'on HTTP/2 a stream that is cancelled keeps its place until its handler is over',
    async run(world) {
      const { options, limiter } = slots(world, { limit: 2 })
      const shop = new Workshop()
      const client = await world.open({
        limits: [options],
        routes: [{ handler: shop.handler }],
        http2: true,
      })
      const session = http2.connect(client.url)
      const stream = session.request({ ':path': '/tickets' })
      stream.on('error', () => {})
      await shop.reached.promise
      const closed = new Promise((resolve) => stream.once('close', resolve))
      stream.close(http2.constants.NGHTTP2_CANCEL)
      await closed
      expect((await limiter.peek('bob')).remaining).toBe(1)
      shop.end()
      await untilLeft(limiter, 2)
      session.destroy()
    },
  },
  ...Object.entries(breaks).map(([how, breakOff]) => ({
    title: `on HTTP/2 a request whose body breaks off leaves its place: ${how}`,
    async run(world: World) {
      const { options, limiter } = slots(world, { limit: 2 })
      const taken = signal()
      const key = () => {
        taken.done()
        return 'bob'
      }
      const counted = { ...options, key } as Options
      const handler: Handler = async ({ raw, send }) => {
        for await (const _ of raw.req);
        send(200, 'ok')
      }
      const client = await world.open({ limits: [counted], routes: [{ handler }], http2: true })
      const session = http2.connect(client.url)
      world.later(() => session.destroy())
      const headers = { ':path': '/tickets', ':method': 'POST', 'content-type': 'application/json' }
      const stream = session.request(headers)
      stream.on('error', () => {})
      stream.write('{ "name": ')
      await taken.promise
      while ((await limiter.peek('bob')).remaining > 1) await new Promise((resolve) => setImmediate(resolve))
      breakOff(stream, session)
      await untilLeft(limiter, 2)
    },
  })),
]
