import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { concurrency, createLimiter } from '@sluice/core'
import compression from 'compression'
import express, { type RequestHandler, type Response } from 'express'
import { rateLimit } from '../src/index.ts'

/** More than a connection holds, also compressed. */
const large = randomBytes(20_000_000).toString('base64')

const handlers: readonly (readonly [string, (res: Response) => void])[] = [
  ['sent in one piece', (res) => void res.type('text').send(large)],
  [
    'written in two pieces',
    (res) => {
      res.type('text').write(large)
      res.end('the end')
    },
  ],
  ['that is piped', (res) => void Readable.from([large, 'the end']).pipe(res.type('text'))],
]

describe.each(handlers)('an answer that is compressed, %s', (_, handle) => {
  it.each([
    ['is reset', (socket: ReturnType<typeof connect>) => void socket.resetAndDestroy()],
    ['is closed', (socket: ReturnType<typeof connect>) => void socket.destroy()],
  ])('frees its place when its connection %s in the middle of it', async (_how, leave) => {
    const limiter = createLimiter({ policy: concurrency({ limit: 1, lease: '1h' }) })
    const app = express()
    app.use(compression())
    app.use(rateLimit({ limiter, key: () => 'k' }))
    const over: Promise<unknown>[] = []
    app.get('/', (_req, res) => {
      over.push(once(res, 'close'))
      handle(res)
    })
    const server = createServer(app).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nhost: zoo\r\naccept-encoding: gzip\r\n\r\n')
    await once(socket, 'readable')
    expect((await limiter.peek('k')).allowed).toBe(false)
    leave(socket)
    await Promise.all(over)
    expect((await limiter.peek('k')).allowed).toBe(true)
    server.close()
    await limiter.close()
  })
})

let stored: Promise<void>
let store: () => void
beforeEach(() => {
  stored = new Promise((resolve) => {
    store = resolve
  })
})

/** As express-session behind a limiter does: `end` sends all but the last byte, stores the session, and only then ends the response. */
const storing: RequestHandler = (_, res, next) => {
  const end = res.end.bind(res)
  res.end = ((text: string) => {
    res.write(text.slice(0, -1))
    void stored.then(() => end(text.slice(-1)))
    return res
  }) as typeof res.end
  next()
}

it.each([
  // As Express answers a path that it does not have.
  ['whose end waits for a store', storing, 'as soon as its client has gone'],
  ['that is compressed', compression({ threshold: 0 }), 'after its client has gone'],
] as const)('an answer %s behind the limiter frees its place', async (_, behind, when) => {
  const limiter = createLimiter({ policy: concurrency({ limit: 1, lease: '1h' }) })
  const app = express()
  app.use(rateLimit({ limiter, key: () => 'k' }))
  app.use(behind)
  let left: Promise<unknown> | undefined
  app.post('/', (req, res) => {
    left = once(res, 'close')
    if (when === 'as soon as its client has gone') req.once('aborted', () => void res.send('hello'))
    else void stored.then(() => res.type('text').send(large))
    socket.resetAndDestroy()
  })
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nhost: zoo\r\naccept-encoding: gzip\r\ncontent-length: 9\r\n\r\n')
  await once(socket, 'close')
  await left
  expect((await limiter.peek('k')).allowed).toBe(false)
  store()
  while (!(await limiter.peek('k')).allowed) await new Promise(setImmediate)
  server.close()
  await limiter.close()
})

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

it.each(['before', 'behind'])(
  'a handler that writes on without its client keeps its place, compressed %s the limiter',
  async (where) => {
    const limiter = createLimiter({ policy: concurrency({ limit: 1, lease: '1h' }) })
    const limit = rateLimit({ limiter, key: () => 'k' })
    const compress = compression({ threshold: 0 })
    const app = express()
    for (const each of where === 'before' ? [compress, limit] : [limit, compress]) app.use(each)
    let writes = 0
    let left: Promise<unknown> | undefined
    app.get('/', (_req, res) => {
      left = once(res, 'close')
      res.type('text')
      const timer = setInterval(() => {
        writes++
        res.write('tick')
        res.flush()
      }, 1)
      closing.push(() => clearInterval(timer))
    })
    const server = createServer(app).listen(0, '127.0.0.1')
    closing.push(
      () => void server.close(),
      () => limiter.close(),
    )
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nhost: zoo\r\naccept-encoding: gzip\r\n\r\n')
    await once(socket, 'data')
    socket.destroy()
    await left
    const until = writes + 3
    while (writes < until) await new Promise(setImmediate)
    expect((await limiter.peek('k')).allowed).toBe(false)
  },
)
