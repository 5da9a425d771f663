import { once } from 'node:events'
import { connect, createServer, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import { adaptiveLimit, type Shedding, shedding } from '@sluice/adaptive'
import { shed as fastifyShed } from '@sluice/adaptive/fastify'
import { shed as koaShed } from '@sluice/adaptive/koa'
import { manualClock } from '@sluice/testing'
import Fastify from 'fastify'
import Koa from 'koa'
import { until } from './work.ts'

type Handler = (path: string, response: Http2ServerResponse) => Promise<string>
interface Site {
  readonly port: number
  close(): Promise<unknown>
}

async function onFastify(load: Shedding, handler: Handler): Promise<Site> {
  const app = Fastify({ http2: true })
  await app.register(fastifyShed, { load })
  app.get('/*', (request, reply) => handler(request.url, reply.raw))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() } // it listens on a port
}

async function onKoa(load: Shedding, handler: Handler): Promise<Site> {
  const app = new Koa()
  app.use(koaShed({ load }))
  app.use(async (ctx) => {
    ctx.body = await handler(ctx.path, ctx.res as unknown as Http2ServerResponse) // Koa's types know of HTTP/1 alone
  })
  const server = createServer(app.callback() as unknown as Parameters<typeof createServer>[1])
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => new Promise((resolve) => server.close(resolve))
  return { port: (server.address() as AddressInfo).port, close } // it listens on a port
}

describe.each([
  ['Fastify', onFastify],
  ['Koa', onKoa],
] as const)('on %s with HTTP/2', (_name, start) => {
  const closing: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })

  async function begin(handler: Handler) {
    const limit = adaptiveLimit({ initial: 1, min: 1, max: 1, clock: manualClock() })
    const site = await start(shedding({ limit, eventLoopDelay: false }), handler)
    const session = connect(`http://127.0.0.1:${site.port}`)
    closing.push(
      () => session.destroy(),
      () => site.close(),
    )
    return { limit, session }
  }

  test('a place is free when the answer has ended, and 503 where there is none', async () => {
    let answer: (body: string) => void = () => {}
    let begun = 0
    const { limit, session } = await begin(() => {
      begun++
      return new Promise((resolve) => {
        answer = resolve
      })
    })
    const first = session.request({ ':path': '/' })
    const answered = once(first, 'response')
    await until(() => begun === 1)
    const [refused] = await once(session.request({ ':path': '/' }), 'response')
    expect([refused[':status'], limit.inFlight, begun]).toEqual([503, 1, 1])
    answer('done')
    expect((await answered)[0][':status']).toBe(200)
    first.resume()
    await until(() => limit.inFlight === 0)
  })

  test('who hangs up leaves a handler that works on: its place is free when that is over', async () => {
    let answer: (body: string) => void = () => {}
    let response: Http2ServerResponse | undefined
    const { limit, session } = await begin((_path, raw) => {
      response = raw
      return new Promise((resolve) => {
        answer = resolve
      })
    })
    const request = session.request({ ':path': '/' })
    request.on('error', () => {})
    await until(() => response !== undefined)
    request.close(8)
    await until(() => response?.stream?.destroyed !== false)
    expect(limit.inFlight).toBe(1)
    answer('done')
    await until(() => limit.inFlight === 0)
  })
})
