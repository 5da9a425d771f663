import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { PassThrough, pipeline, Readable, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from '@jest/globals'
import { concurrency, createLimiter, memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { guardRequest } from '../src/guard-request.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A server with one place, whose handler is over when its response is, and a client that reads nothing. */
async function serve(
  handler: (response: ServerResponse, request: IncomingMessage) => unknown,
  asked = 'GET / HTTP/1.1\r\nHost: zoo\r\n\r\n',
) {
  const clock = manualClock()
  const logger = { warn: () => {}, error: () => {} }
  const policy = concurrency({ limit: 1, lease: '6s' })
  const limiter = createLimiter({ policy, store: memoryStore({ clock }), logger })
  const guard = guardRequest<IncomingMessage, 'default'>({ limiter, key: () => 'bob', sendTimeout: '3s' })
  let begun = () => {}
  const begins = new Promise<void>((resolve) => {
    begun = resolve
  })
  const server = createServer(async (request, response) => {
    if (!(await guard(request, response))) return
    handler(response, request)
    begun()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => new Promise((resolve) => server.close(resolve)))
  const socket: Socket = connect((server.address() as AddressInfo).port, '127.0.0.1') // it listens
  closing.push(() => socket.destroy())
  socket.pause().write(asked)
  await begins
  return {
    leave: () => void socket.destroy(),
    async left() {
      return (await limiter.peek('bob')).remaining
    },
    /** Second by second, as places are looked at. */
    async pass(seconds: number) {
      for (let i = 0; i < seconds; i++) {
        await clock.advance('1s')
        for (let j = 0; j < 100; j++) await setImmediate()
      }
    },
  }
}

/** More than a system keeps for a connection that nobody reads. */
const long = () => Readable.from(Array(8).fill('x'.repeat(4 << 20)))

describe('the place of a request whose answer is piped', () => {
  it('is bounded by its lease once the stream has broken off, though the client waits for the rest', async () => {
    const source = new PassThrough()
    source.on('error', () => {})
    source.write('first')
    const { left, pass } = await serve((response) => void source.pipe(response))
    await pass(20)
    expect(await left()).toBe(0)
    source.destroy(new Error('broken'))
    await pass(1)
    expect(await left()).toBe(0)
    await pass(6)
    expect(await left()).toBe(1)
  })

  it('is renewed again once another stream goes on in place of one that has broken off', async () => {
    const [first, second] = [new PassThrough(), new PassThrough()]
    first.on('error', () => {})
    const { left, pass } = await serve((response) => {
      first.pipe(response)
      first.once('close', () => setImmediate().then(() => second.pipe(response)))
    })
    first.destroy(new Error('broken'))
    await pass(20)
    expect(await left()).toBe(0)
    second.end()
    while ((await left()) === 0) await setImmediate()
  })

  it('stays while the next stream is piped as soon as one breaks off', async () => {
    const [first, second] = [new PassThrough(), new PassThrough()]
    const { left, pass } = await serve((response) => {
      first.pipe(response)
      first.once('error', () => void second.pipe(response))
    })
    first.destroy(new Error('broken'))
    await pass(20)
    expect(await left()).toBe(0)
  })

  it('goes when the client reads nothing of the second of two streams', async () => {
    const first = new PassThrough()
    const { left, pass } = await serve((response) => {
      first.pipe(response, { end: false })
      first.once('end', () => void long().pipe(response))
    })
    first.end('first')
    await pass(2)
    expect(await left()).toBe(0)
    await pass(5)
    expect(await left()).toBe(1)
  })
})

describe('the place of a request whose answer is destroyed', () => {
  it('is free at once where the handler breaks its answer off', async () => {
    const { left } = await serve((response) => {
      response.write('half')
      response.destroy(new Error('no more'))
    })
    while ((await left()) === 0) await setImmediate()
  })

  it.each([
    ['without an error', undefined],
    ['by an error', new Error('no more')],
  ])('is free at once where the handler destroys its request, %s', async (_how, error) => {
    const { left } = await serve((response, request) => {
      request.on('error', () => {})
      response.write('half')
      request.destroy(error)
    })
    while ((await left()) === 0) await setImmediate()
  })

  it('stays for its lease where the handler stops to read a body, whose client then goes', async () => {
    const { left, pass } = await serve(async (response, request) => {
      for await (const _ of request) break
      response.socket?.destroy()
    }, 'POST / HTTP/1.1\r\nHost: zoo\r\nContent-Length: 9\r\n\r\nfirst')
    await pass(5)
    expect(await left()).toBe(0)
    await pass(2)
    expect(await left()).toBe(1)
  })

  it.each<[string, (response: ServerResponse, destroy: () => void) => unknown]>([
    ['`aborted` of the request', ({ req }, destroy) => req.once('aborted', destroy)],
    ['`close` of the request', ({ req }, destroy) => req.once('close', destroy)],
    ['`close` of the response', (response, destroy) => response.once('close', destroy)],
    ['`close` of the connection', ({ req }, destroy) => req.socket.once('close', destroy)],
  ])('is free where the handler does so once it hears by %s that the client has gone', async (_by, hear) => {
    const { leave, left } = await serve((response) => {
      hear(response, () => void response.destroy())
      response.write('half')
    })
    leave()
    for (let i = 0; i < 1000 && (await left()) === 0; i++) await setImmediate()
    expect(await left()).toBe(1)
  })

  it('stays for its lease where the client has left, as its handler may work on', async () => {
    const { leave, left, pass } = await serve((response) => void response.write('half'))
    leave()
    await pass(5)
    expect(await left()).toBe(0)
    await pass(2)
    expect(await left()).toBe(1)
  })
})

/** Handlers that write as their client reads, so that they are over when it has gone. */
const paced: readonly [string, (response: ServerResponse) => unknown][] = [
  [
    'a Web stream is piped into it',
    (response) => {
      const stream = Readable.toWeb(new PassThrough().on('error', () => {}))
      stream.pipeTo(Writable.toWeb(response)).catch(() => {})
    },
  ],
  [
    'a pipeline writes what a generator makes',
    (response) => {
      const texts = async function* () {
        for (;;) {
          yield 'text'
          await setImmediate()
        }
      }
      pipeline(texts, response, () => {})
    },
  ],
  [
    'its handler waits for `drain`',
    async (response) => {
      for await (const text of long()) if (!response.write(text)) await once(response, 'drain')
    },
  ],
]

describe('the place of a request whose answer is written as its client reads', () => {
  it.each(paced)('is free when the client leaves where %s', async (_how, handler) => {
    const { leave, left, pass } = await serve((response) => void handler(response))
    await pass(1)
    expect(await left()).toBe(0)
    leave()
    for (let i = 0; i < 1000 && (await left()) === 0; i++) await setImmediate()
    expect(await left()).toBe(1)
  })

  it('stays for its lease where the handler writes without heeding the client', async () => {
    const { leave, left, pass } = await serve((response) => {
      const timer = setInterval(() => response.write('tick'), 1)
      closing.push(() => clearInterval(timer))
    })
    leave()
    await pass(5)
    expect(await left()).toBe(0)
    await pass(2)
    expect(await left()).toBe(1)
  })
})
