import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { afterEach, expect, it } from '@jest/globals'
import { concurrency, createLimiter, memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import Koa3 from 'koa'
import Koa2 from 'koa2'
import { rateLimit } from '../src/index.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** As koa-compress does. */
const compress: Koa3.Middleware = async (ctx, next) => {
  await next()
  const stream = createGzip()
  const source = ctx.body as PassThrough
  ctx.body = stream
  source.pipe(stream)
}

it.each([
  ['Koa 2', Koa2 as unknown as typeof Koa3],
  ['Koa 3', Koa3],
])(
  '%s: a stream that breaks off behind one that compresses it keeps its place for its lease',
  async (_, Koa) => {
    const clock = manualClock()
    const limiter = createLimiter({
      policy: concurrency({ limit: 1, lease: '6s' }),
      store: memoryStore({ clock }),
      logger: { warn: () => {}, error: () => {} },
    })
    const source = new PassThrough()
    source.write('first')
    const app = new Koa()
    app.silent = true
    app.use(compress)
    app.use(rateLimit({ limiter, key: () => 'bob' }))
    app.use((ctx) => {
      ctx.body = source
    })
    const server = createServer(app.callback())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => new Promise((resolve) => server.close(resolve)))
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1') // it listens
    closing.push(() => socket.destroy())
    socket.write('GET / HTTP/1.1\r\nHost: zoo\r\n\r\n')
    const pass = async (seconds: number) => {
      for (let i = 0; i < seconds; i++) {
        await clock.advance('1s')
        for (let j = 0; j < 100; j++) await setImmediate()
      }
    }
    const left = async () => (await limiter.peek('bob')).remaining

    // Before the head is sent, Koa answers an error of the body with 500. zlib writes in a thread of its own.
    await once(socket, 'data')
    await pass(20)
    expect(await left()).toBe(0)
    source.on('error', () => {})
    source.destroy(new Error('broken'))
    await pass(1)
    expect(await left()).toBe(0)
    await pass(6)
    expect(await left()).toBe(1)
  },
)
