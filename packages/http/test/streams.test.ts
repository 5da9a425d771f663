import { once } from 'node:events'
import http2, { type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from '@jest/globals'
import { concurrency, createLimiter, memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import type { Ended } from '../src/ending.ts'
import { guardRequest } from '../src/guard-request.ts'

type Handler = (response: Http2ServerResponse, signal: AbortSignal | undefined) => void

const here = fileURLToPath(import.meta.url)
const closing: (() => unknown)[] = []
let over = false

afterEach(async () => {
  over = true
  for (const close of closing.splice(0)) await close()
})

/** Both ends are in this process: turns bring on what one of them has not heard of yet. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!over && !(await holds())) await turn()
}

/** A server of HTTP/2 with a place in flight for one request, whose lease never ends as its clock stands still. */
async function serve(handler: Handler) {
  over = false
  const limiter = createLimiter({
    policy: concurrency({ limit: 1 }),
    store: memoryStore({ clock: manualClock() }),
  })
  const endings: Ended[] = []
  const limit = guardRequest<Http2ServerRequest>({
    limiter,
    key: () => 'bob',
    settle: (_, ended) => void endings.push(ended),
  })
  const server = http2.createServer(async (request, response) => {
    if (await limit(request, response)) handler(response, limit.decisionFor(request)?.signal)
  })
  // A stream that its client has reset, and that nobody ends, would keep the connection.
  server.on('session', (session) => closing.push(() => session.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) // it listens on a port
  closing.push(
    () => session.destroy(),
    () => server.close(),
  )
  return { limiter, endings, session }
}

/** When the one place is free again. */
function untilFree({ limiter }: Awaited<ReturnType<typeof serve>>): Promise<void> {
  return until(async () => (await limiter.peek('bob')).remaining === 1)
}

describe('an answer past the response, by the stream of HTTP/2, ends like any other', () => {
  const head = { ':status': 404 }
  it.each<[string, Handler]>([
    [
      'its text',
      ({ stream }) => {
        stream.respond(head)
        stream.end('not here')
      },
    ],
    ['a file', ({ stream }) => stream.respondWithFile(here, head, { onError: () => {} })],
    ['its head', ({ stream }) => stream.respond(head, { endStream: true })],
  ])('%s', async (_, answer) => {
    let signal: AbortSignal | undefined
    const site = await serve((response, given) => {
      signal = given
      answer(response, given)
    })
    const stream = site.session.request({ ':path': '/' })
    stream.resume()
    await once(stream, 'close')
    await untilFree(site)
    expect([site.endings, signal?.aborted]).toEqual([[{ status: 404, aborted: false }], false])
  })
})

it('a head that is written early ends no request for the head alone: its handler does', async () => {
  const closed: Http2ServerResponse[] = []
  const site = await serve((response) => {
    response.stream.on('close', () => closed.push(response))
    response.writeHead(200)
  })
  site.session.request({ ':path': '/', ':method': 'HEAD' }).resume()
  await until(() => closed.length === 1)
  expect((await site.limiter.peek('bob')).remaining).toBe(0)
  closed[0]?.end('a text')
  await untilFree(site)
})

it('a head that is written early is the answer to a request for the head alone: it is settled as one', async () => {
  let end = () => {}
  const site = await serve((response) => {
    response.writeHead(204)
    end = () => void response.end()
  })
  site.session.request({ ':path': '/', ':method': 'HEAD' }).resume()
  await until(() => site.endings.length > 0)
  expect(site.endings).toEqual([{ status: 204, aborted: false }])
  expect((await site.limiter.peek('bob')).remaining).toBe(0)
  end()
  await untilFree(site)
})

it('a request for the head alone that its client resets before its answer is heard of at once', async () => {
  let stream: ServerHttp2Stream | undefined
  let signal: AbortSignal | undefined
  const site = await serve((response, given) => {
    stream = response.stream
    signal = given
  })
  const request = site.session.request({ ':path': '/', ':method': 'HEAD' })
  request.on('error', () => {})
  await until(() => signal !== undefined)
  expect([signal?.aborted, site.endings]).toEqual([false, []])
  const closed = new Promise((resolve) => stream?.once('close', resolve))
  request.close(http2.constants.NGHTTP2_CANCEL)
  await closed
  expect([signal?.aborted, site.endings]).toEqual([true, [{ status: 499, aborted: true }]])
})

it('a stream that is piped into an answer on HTTP/2 leaves its place when its client resets that', async () => {
  const source = new PassThrough()
  source.write(Buffer.alloc(1 << 20)) // more than a client takes that reads nothing
  const site = await serve((response) => void source.pipe(response))
  const stream = site.session.request({ ':path': '/' })
  stream.on('error', () => {})
  stream.once('response', () => stream.close(http2.constants.NGHTTP2_CANCEL))
  await once(stream, 'close')
  await untilFree(site)
  expect(site.endings).toEqual([{ status: 200, aborted: true }])
})

it('a stream that is piped into an answer ends with it, also where its client resets a request that it has not ended', async () => {
  const site = await serve(
    (response) => void Readable.from(Array(64).fill('x'.repeat(1 << 16))).pipe(response),
  )
  const stream = site.session.request({ ':method': 'POST' })
  stream.write('begin')
  await once(stream, 'response')
  stream.close(http2.constants.NGHTTP2_NO_ERROR)
  await untilFree(site)
})

it('a handler that destroys its answer on HTTP/2 once its client has reset the stream leaves its place', async () => {
  let reached = false
  const site = await serve((response) => {
    reached = true
    response.once('close', () => response.destroy())
  })
  const stream = site.session.request({ ':path': '/' })
  stream.on('error', () => {})
  await until(() => reached)
  stream.close(http2.constants.NGHTTP2_CANCEL)
  await untilFree(site)
})
