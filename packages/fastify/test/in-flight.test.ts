import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import http2 from 'node:http2'
import { Readable } from 'node:stream'
import { expect, it } from '@jest/globals'
import { inWorld, type World } from '@sluice/conformance/adapter'
import { concurrency, createLimiter } from '@sluice/core'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { type RateLimitPluginOptions, rateLimit } from '../src/index.ts'
import { listen, scenario } from './site.ts'
import { start } from './start.ts'

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

scenario(
  'a body that its client breaks off leaves its place, though a hook throws at the answer to that',
  async (world) => {
    const limiter = createLimiter({ ...world.quiet(), policy: concurrency({ limit: 1, lease: '1h' }) })
    const app = Fastify()
    await app.register(rateLimit, { limiter, key: () => 'bob' })
    app.setErrorHandler((_error, _request, reply) => reply.send('sorry'))
    let begun = () => {}
    const reading = new Promise<void>((resolve) => {
      begun = resolve
    })
    app.addHook('preParsing', async () => begun())
    let thrown = 0
    app.addHook('onSend', async () => {
      thrown++
      throw new Error('of the application')
    })
    app.post('/', async () => 'never')
    const client = await listen(world, app)
    const headers = { 'content-type': 'application/json', 'content-length': '50' }
    const request = client.open({ method: 'POST', path: '/', alone: true, headers })
    request.on('error', () => {})
    request.write('{')
    await reading
    expect((await limiter.peek('bob')).remaining).toBe(0)
    request.destroy()
    for (let i = 0; i < 1000 && thrown === 0; i++) await new Promise((resolve) => setImmediate(resolve))
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
    expect((await limiter.peek('bob')).remaining).toBe(1)
  },
)

const piece = 'x'.repeat(1 << 20)

/** Fills an answer until its client has to read, and waits for that. */
async function fill(raw: ServerResponse): Promise<void> {
  while (raw.write(piece));
  await once(raw, 'drain')
}

/** A client of a handler that answers by itself, and bob's places. */
async function answered(world: World, handler: (raw: ServerResponse) => Promise<void>) {
  const limiter = createLimiter({ ...world.quiet(), policy: concurrency({ limit: 1, lease: '30s' }) })
  const app = Fastify()
  await app.register(rateLimit, { limiter, key: () => 'bob' })
  let closed = () => {}
  const gone = new Promise<void>((resolve) => {
    closed = resolve
  })
  app.get('/', async (_request, reply) => {
    reply.raw.once('close', closed)
    await handler(reply.raw)
    return reply
  })
  const client = await listen(world, app)
  const request = client.open({ path: '/', alone: true })
  request.on('error', () => {})
  const left = async () => (await limiter.peek('bob')).remaining
  const hangUp = async () => {
    request.destroy()
    await gone
  }
  return { request, left, hangUp }
}

scenario('a handler that waits until its client reads is not renewed behind it', async (world) => {
  let fills = 0
  const { request, left, hangUp } = await answered(world, async (raw) => {
    for (;;) {
      fills++
      await fill(raw)
    }
  })
  await once(request, 'response')
  // What the system keeps for a client is full when nothing goes on.
  for (let before = -1; before !== fills; ) {
    before = fills
    for (let i = 0; i < 200; i++) await new Promise((resolve) => setImmediate(resolve))
  }
  await world.clock.advance('10m')
  expect(await left()).toBe(0)
  await hangUp()
  await world.clock.advance('31s')
  expect(await left()).toBe(1)
})

scenario('a handler that writes for a client that has gone is not renewed', async (world) => {
  const { request, left, hangUp } = await answered(world, async (raw) => {
    raw.write('news')
    await once(raw, 'close')
    await fill(raw)
  })
  await once(request, 'response')
  await hangUp()
  await world.clock.advance('31s')
  expect(await left()).toBe(1)
})

scenario('a handler that works on is renewed behind a client that had read all', async (world) => {
  let over = () => {}
  const work = new Promise<void>((resolve) => {
    over = resolve
  })
  let read = () => {}
  const drained = new Promise<void>((resolve) => {
    read = resolve
  })
  const { request, left, hangUp } = await answered(world, async (raw) => {
    await fill(raw)
    read()
    await work
  })
  const [response] = await once(request, 'response')
  response.on('error', () => {}).resume()
  await drained
  await hangUp()
  await world.clock.advance('10m')
  expect(await left()).toBe(0)
  over()
  while ((await left()) === 0) await new Promise((resolve) => setImmediate(resolve))
})

scenario('where a library has replaced Promise, a handler that works on keeps its place', async (world) => {
  const { Promise: own } = globalThis
  // What async functions return is none of these.
  globalThis.Promise = class Another<T> extends own<T> {}
  try {
    let over = () => {}
    const work = new Promise<void>((resolve) => {
      over = resolve
    })
    const { request, left, hangUp } = await answered(world, async (raw) => {
      raw.write('news')
      await work
    })
    await once(request, 'response')
    await hangUp()
    await world.clock.advance('31s')
    expect(await left()).toBe(0)
    over()
    while ((await left()) === 0) await new Promise((resolve) => setImmediate(resolve))
  } finally {
    globalThis.Promise = own
  }
})

scenario(
  'behind an answer by `handlerTimeout` a handler that has returned a promise keeps its place, one that sends later does not',
  async (world) => {
    const limiter = createLimiter({ ...world.quiet(), policy: concurrency({ limit: 1, lease: '1h' }) })
    const app = Fastify({ handlerTimeout: 20 })
    await app.register(rateLimit, { limiter, key: ({ url }) => url })
    let finish = () => {}
    const work = new Promise<void>((resolve) => {
      finish = resolve
    })
    app.get('/promise', () => work)
    app.get('/later', (_request, reply) => {
      work.then(() => reply.send('late'))
    })
    const client = await listen(world, app)
    const left: number[] = []
    for (const path of ['/promise', '/later']) {
      expect((await client.send({ path })).status).toBe(503)
      await new Promise((resolve) => setImmediate(resolve))
      left.push((await limiter.peek(path)).remaining)
    }
    expect(left).toEqual([0, 1])
    finish()
  },
)

it.each([
  ['breaks off', '{'],
  ['has sent', '{"a":1}'],
])('a body that its client %s before it goes while the key is awaited leaves its place', (_title, sent) =>
  inWorld(start, async (world) => {
    const limiter = createLimiter({ ...world.quiet(), policy: concurrency({ limit: 1, lease: '1h' }) })
    let found = (_: string) => {}
    let handled = 0
    let asked = () => {}
    const asking = new Promise<void>((resolve) => {
      asked = resolve
    })
    const key = ({ raw }: FastifyRequest) => {
      raw.once('close', () => found('bob'))
      asked()
      return new Promise<string>((answer) => {
        found = answer
      })
    }
    let over = (_: object) => {}
    const ended = new Promise<object>((resolve) => {
      over = resolve
    })
    const app = Fastify()
    await app.register(rateLimit, {
      limiter,
      key,
      settle: (_request, end) => over(end),
    } as RateLimitPluginOptions)
    app.post('/', async () => handled++)
    const client = await listen(world, app)
    const headers = { 'content-type': 'application/json', 'content-length': '7' }
    const request = client.open({ method: 'POST', path: '/', alone: true, headers })
    request.on('error', () => {})
    request.write(sent)
    await asking
    request.destroy()
    expect(await ended).toEqual({ status: 499, aborted: true })
    await new Promise((resolve) => setImmediate(resolve))
    expect([(await limiter.peek('bob')).remaining, handled]).toEqual([1, 0])
  }),
)
