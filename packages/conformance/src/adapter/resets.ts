import http2 from 'node:http2'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect } from '@jest/globals'
import { concurrency, createLimiter, type Limiter, type Policy } from '@sluice/core'
import type { Scenario } from './scenario.ts'
import type { Handler, Options } from './site.ts'
import { slots, until, untilLeft } from './slots.ts'
import { signal, type World } from './world.ts'

const codes = Array.from({ length: 14 }, (_, code) => code) // of RFC 9113, section 7
const limit = 200

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** Resets streams by each code, so many turns of the event loop behind their answers, or ahead of them; answers when all are settled. */
async function reset(
  world: World,
  moments: readonly number[],
): Promise<Limiter<{ readonly default: Policy<'line'> }>> {
  const policy = concurrency({ limit, lease: '30s' })
  const limiter = createLimiter({ ...world.quiet(), name: 'reset', policy })
  let settled = 0
  const settle: Options['settle'] = () => void settled++
  let reached = signal()
  let answers = signal()
  const handler: Handler = async ({ send }) => {
    reached.done()
    await answers.promise
    send(200, 'ok')
  }
  const options = { limiter, key: () => 'bob', settle } as Options
  const client = await world.open({ limits: [options], routes: [{ handler }], http2: true })
  // Node keeps a session with such a stream for ever.
  world.running.server.on('session', (each: http2.ServerHttp2Session) => world.later(() => each.destroy()))
  const session = http2.connect(client.url)
  world.later(() => session.destroy())
  for (const moment of moments) {
    for (const code of codes) {
      reached = signal()
      answers = signal()
      const stream = session.request({ ':path': '/tickets' })
      stream.on('error', () => {})
      await reached.promise
      if (moment >= 0) answers.done()
      await turns(moment)
      stream.close(code)
      await turns(-moment)
      answers.done()
    }
  }
  while (settled < moments.length * codes.length) await turns(1)
  return limiter
}

export const resets: readonly Scenario[] = [
  {
    title: 'on HTTP/2 a request for the head alone waits, has its place and is settled as any other',
    async run(world) {
      const reached = signal()
      const answers = signal()
      const ended = signal<unknown>()
      const settle: Options['settle'] = (_, how) => void ended.done(how)
      const { options, limiter } = slots(world, { limit: 1 }, { settle, maxWait: '20s' })
      const signals: (AbortSignal | undefined)[] = []
      const handler: Handler = async ({ decision, send }) => {
        signals.push(decision?.signal)
        reached.done()
        await answers.promise
        send(200, 'ok')
      }
      const client = await world.open({ limits: [options], routes: [{ handler }], http2: true })
      const session = http2.connect(client.url)
      world.later(() => session.destroy())
      const before = await limiter.check('bob')
      const stream = session.request({ ':path': '/tickets', ':method': 'HEAD' }).resume()
      const status = new Promise((resolve) => stream.once('response', (head) => resolve(head[':status'])))
      await until(() => limiter.health().sleepers === 1)
      await before.release()
      await reached.promise
      await world.clock.advance('10m')
      expect([(await limiter.peek('bob')).remaining, signals.map((each) => each?.aborted)]).toEqual([
        0,
        [false],
      ])
      answers.done()
      expect([await status, await ended.promise]).toEqual([200, { status: 200, aborted: false }])
      await untilLeft(limiter, 1)
    },
  },
  {
    title: 'on HTTP/2 a request for the head alone that is never ended leaves its place when it is answered',
    async run(world) {
      const ended = signal<unknown>()
      const settle: Options['settle'] = (_, how) => void ended.done(how)
      const { options, limiter } = slots(world, { limit: 1 }, { settle })
      const handler: Handler = async ({ send }) => send(200, 'ok')
      const client = await world.open({ limits: [options], routes: [{ handler }], http2: true })
      const session = http2.connect(client.url)
      world.later(() => session.destroy())
      const stream = session.request({ ':path': '/tickets', ':method': 'HEAD' }, { endStream: false })
      stream.resume()
      expect(await ended.promise).toEqual({ status: 200, aborted: false })
      await untilLeft(limiter, 1)
    },
  },
  {
    title:
      'on HTTP/2 a client that never ends its request leaves its place, and is settled, when its answer is sent',
    async run(world) {
      const limiter = createLimiter({ ...world.quiet(), name: 'open', policy: concurrency({ limit: 1 }) })
      const ended = signal<unknown>()
      let settled = 0
      const settle: Options['settle'] = (_, how) => {
        settled++
        ended.done(how)
      }
      // The rest of a request that nobody reads is refused by Node itself.
      const handler: Handler = ({ raw, send }) => {
        raw.req.resume()
        send(200, 'ok')
      }
      const options = { limiter, key: () => 'bob', settle } as Options
      const client = await world.open({ limits: [options], routes: [{ handler }], http2: true })
      const session = http2.connect(client.url)
      world.later(() => session.destroy())
      const stream = session.request({ ':path': '/tickets', ':method': 'POST' })
      stream.write('begin')
      stream.resume()
      expect(await ended.promise).toEqual({ status: 200, aborted: false })
      while ((await limiter.peek('bob')).remaining < 1) await turns(1)
      expect(stream.writable).toBe(true)
      session.destroy()
      await turns(20)
      expect(settled).toBe(1)
    },
  },
  {
    title:
      'on HTTP/2 a handler that waits for a pipeline whose client has gone keeps its place no longer than its lease',
    async run(world) {
      const over = signal()
      const settle: Options['settle'] = () => void over.done()
      const { options, limiter } = slots(world, { limit: 1, lease: '6s' }, { settle })
      const handler: Handler = async ({ raw, takeOver }) => {
        takeOver?.()
        // As the client has not ended its request, Node leaves the stream open: neither the pipeline nor the handler ever ends.
        await pipeline(Readable.from(Array(64).fill('x'.repeat(1 << 16))), raw).catch(() => {})
      }
      const client = await world.open({ limits: [options], routes: [{ handler }], http2: true })
      world.running.server.on('session', (each: http2.ServerHttp2Session) =>
        world.later(() => each.destroy()),
      )
      const session = http2.connect(client.url)
      world.later(() => session.destroy())
      const stream = session.request({ ':path': '/tickets', ':method': 'POST' })
      stream.on('error', () => {})
      stream.write('begin')
      await new Promise((resolve) => stream.once('response', resolve))
      stream.close(http2.constants.NGHTTP2_NO_ERROR)
      await over.promise
      for (let i = 0; i < 12; i++) {
        await world.clock.advance('1s')
        await turns(20)
      }
      expect((await limiter.peek('bob')).remaining).toBe(1)
    },
  },
  {
    title: 'on HTTP/2 a stream that is reset behind its answer, by any code, leaves its place and is settled',
    async run(world) {
      const limiter = await reset(world, [0, 1, 2, 3])
      while ((await limiter.peek('bob')).remaining < limit) await turns(1)
    },
  },
  {
    title: 'on HTTP/2 a stream that is reset ahead of its answer leaves its place when that is ended',
    async run(world) {
      const limiter = await reset(world, [-3, -2, -1])
      while ((await limiter.peek('bob')).remaining < limit) await turns(1)
    },
  },
]
