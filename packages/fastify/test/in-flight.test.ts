import { once } from 'node:events'
import http2 from 'node:http2'
import { Readable } from 'node:stream'
import { expect } from '@jest/globals'
import { concurrency, createLimiter } from '@sluice/core'
import Fastify, { type FastifyInstance } from 'fastify'
import { type RateLimitPluginOptions, rateLimit } from '../src/index.ts'
import { listen, scenario } from './site.ts'

scenario(
  'on HTTP/2 a stream that a handler sends at once leaves its place when its client resets it',
  async (world) => {
    const limiter = createLimiter({ ...world.quiet(), policy: concurrency({ limit: 1 }) })
    let over = () => {}
    const settled = new Promise<void>((resolve) => {
      over = resolve
    })
    // Of HTTP/1 to the compiler: handlers see no difference.
    const app = Fastify({ http2: true } as object) as FastifyInstance
    await app.register(rateLimit, {
      limiter,
      key: () => 'bob',
      settle: () => over(),
    } as RateLimitPluginOptions)
    const source = new Readable({
      read() {
        this.push(Buffer.alloc(65_536))
      },
    })
    app.get('/', async (_request, reply) => reply.send(source))
    const { url } = await listen(world, app)
    // Node keeps a session with such a stream for ever.
    app.server.on('session', (each: http2.ServerHttp2Session) => world.later(() => each.destroy()))
    const session = http2.connect(url)
    world.later(() => session.destroy())
    const stream = session.request({ ':path': '/' })
    stream.on('error', () => {})
    stream.once('data', () => stream.close(http2.constants.NGHTTP2_NO_ERROR))
    await settled
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
    expect((await limiter.peek('bob')).remaining).toBe(1)
    source.destroy()
  },
)

scenario('a Web stream that a handler sends leaves its place when its client hangs up', async (world) => {
  const limiter = createLimiter({ ...world.quiet(), policy: concurrency({ limit: 1, lease: '1h' }) })
  const app = Fastify()
  await app.register(rateLimit, { limiter, key: () => 'bob' })
  let cancelled = () => {}
  const over = new Promise<void>((resolve) => {
    cancelled = resolve
  })
  const body = () =>
    new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
      cancel: () => cancelled(),
    })
  app.get('/', (_request, reply) => {
    reply.send(new Response(body()))
  })
  const client = await listen(world, app)
  const request = client.open({ path: '/', alone: true })
  request.on('error', () => {})
  await once(request, 'response')
  expect((await limiter.peek('bob')).remaining).toBe(0)
  request.destroy()
  await over
  await new Promise((resolve) => setImmediate(resolve))
  expect((await limiter.peek('bob')).remaining).toBe(1)
})
