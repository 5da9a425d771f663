import http2 from 'node:http2'
import net from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { expect } from '@jest/globals'
import type { Client } from './client.ts'
import { rawRequest } from './raw.ts'
import type { Scenario } from './scenario.ts'
import type { Handler } from './site.ts'
import { left, slots } from './slots.ts'
import { signal, type World } from './world.ts'

/** More than a system keeps for a connection that nobody reads. */
const pieceBytes = 4 << 20
const pieces = 8

const oneFor5s = { limit: 1, lease: '5s' } as const

/** Lets the system do what it can with what was sent. */
async function settled(): Promise<void> {
  for (let i = 0; i < 200; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** Virtual time, second by second, as the places are looked at. */
async function pass(world: World, seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    await world.clock.advance('1s')
    await settled()
  }
}

const text = 'x'.repeat(pieceBytes)

/** Long answers: in one piece, and as a stream that is piped. */
const answers: { readonly [how: string]: () => string | Readable } = {
  'in one piece': () => text.repeat(pieces),
  'as a stream': () => Readable.from(Array(pieces).fill(text)),
}

function longRoute(how: keyof typeof answers): {
  readonly handler: Handler
  readonly answered: Promise<void>
} {
  const { promise, done } = signal()
  return {
    answered: promise,
    handler: ({ send }) => {
      send(200, answers[how]?.())
      done()
    },
  }
}

/** A client that reads only when it is asked to. */
function lazyClient(world: World, client: Client, requests: string): net.Socket {
  const socket = net.connect(client.target)
  world.later(() => socket.destroy())
  socket.on('error', () => {})
  socket.pause()
  socket.write(requests)
  return socket
}

/** A handler that sends a short answer and says so. */
function sending(body: string, sent: () => void): Handler {
  return ({ send }) => {
    send(200, body)
    sent()
  }
}

/** Reads at least this many bytes, then stops. */
function take(socket: net.Socket, bytes: number): Promise<void> {
  return new Promise((resolve) => {
    let taken = 0
    const read = (data: Buffer) => {
      taken += data.length
      if (taken < bytes) return
      socket.pause()
      socket.off('data', read)
      resolve()
    }
    socket.on('data', read).resume()
  })
}

export const slowReaders: readonly Scenario[] = [
  ...Object.keys(answers).flatMap((how): readonly Scenario[] => [
    {
      title: `a client that reads nothing of a long answer ${how} keeps its place for 30 s`,
      async run(world) {
        const { limiter, options } = slots(world, oneFor5s)
        const { handler, answered } = longRoute(how)
        const client = await world.open({ limits: [options], routes: [{ handler }] })
        lazyClient(world, client, rawRequest())
        await answered
        await settled()
        await pass(world, 28)
        expect(await left(limiter)).toBe(0)
        await pass(world, 4)
        expect(await left(limiter)).toBe(1)
      },
    },
    {
      title: `a client that reads slowly of a long answer ${how} keeps its place as long as it reads`,
      async run(world) {
        const { limiter, options } = slots(world, oneFor5s, { sendTimeout: '3s' })
        const { handler, answered } = longRoute(how)
        const client = await world.open({ limits: [options], routes: [{ handler }] })
        const socket = lazyClient(world, client, rawRequest())
        await answered
        await settled()
        for (let i = 0; i < 6; i++) {
          await take(socket, 3 << 20)
          await pass(world, 2)
          expect([i, await left(limiter)]).toEqual([i, 0])
        }
        await pass(world, 5)
        expect(await left(limiter)).toBe(1)
      },
    },
  ]),
  {
    title: 'a handler that works on keeps its place, though its client reads nothing',
    async run(world) {
      const { limiter, options } = slots(world, oneFor5s, { sendTimeout: '3s' })
      const over = signal()
      const written = signal()
      const handler: Handler = async ({ raw }) => {
        raw.write(text)
        raw.write(text)
        written.done()
        await over.promise
        raw.end()
      }
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      lazyClient(world, client, rawRequest())
      await written.promise
      await pass(world, 20)
      expect(await left(limiter)).toBe(0)
      over.done()
      await settled()
      await pass(world, 5)
      expect(await left(limiter)).toBe(1)
    },
  },
  {
    title: 'a response that waits behind an unanswered request keeps its place for the same time',
    async run(world) {
      const { limiter, options } = slots(world, oneFor5s, { sendTimeout: '3s' })
      const answered = signal()
      const routes = [
        { path: '/slow', handler: () => new Promise(() => {}) },
        { limits: [options], handler: sending('queued', answered.done) },
      ]
      const client = await world.open({ routes })
      lazyClient(world, client, rawRequest({ target: '/slow', connection: 'keep-alive' }) + rawRequest())
      await answered.promise
      await settled()
      expect(await left(limiter)).toBe(0)
      await pass(world, 5)
      expect(await left(limiter)).toBe(1)
    },
  },
  {
    title: 'a response that waits behind a stream that its client reads keeps its place for the same time',
    async run(world) {
      const { limiter, options } = slots(world, oneFor5s, { sendTimeout: '3s' })
      const answered = signal()
      const stream = new PassThrough()
      const routes = [
        { path: '/stream', handler: (({ send }) => send(200, stream)) satisfies Handler },
        { limits: [options], handler: sending('queued', answered.done) },
      ]
      const client = await world.open({ routes })
      const requests = rawRequest({ target: '/stream', connection: 'keep-alive' }) + rawRequest()
      const socket = lazyClient(world, client, requests).resume()
      await answered.promise
      for (let i = 0; i < 5; i++) {
        const arrives = new Promise((resolve) => socket.once('data', resolve))
        stream.write('news')
        await arrives
        await pass(world, 1)
      }
      expect(await left(limiter)).toBe(1)
    },
  },
  {
    title: 'on HTTP/2 a client that reads nothing of a long answer keeps its place for 30 s',
    async run(world) {
      const { limiter, options } = slots(world, oneFor5s)
      const { handler, answered } = longRoute('in one piece')
      const client = await world.open({ limits: [options], routes: [{ handler }], http2: true })
      const session = http2.connect(client.url)
      world.later(() => session.destroy())
      const stream = session.request({ ':path': '/tickets' })
      stream.on('error', () => {})
      await answered
      await settled()
      await pass(world, 28)
      expect(await left(limiter)).toBe(0)
      await pass(world, 4)
      expect(await left(limiter)).toBe(1)
    },
  },
]
