import http2 from 'node:http2'
import { expect } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import { closeOf } from './aborting.ts'
import type { Client } from './client.ts'
import type { Scenario } from './scenario.ts'
import type { Exchange, Handler } from './site.ts'
import { signal, type World } from './world.ts'

const limit = 25
const crowdPolicy = fixedWindow({ limit, window: '10s' })

function connected(world: World, client: Client): http2.ClientHttp2Session {
  const session = http2.connect(client.url)
  world.later(() => session.close())
  return session
}

/** A stream that the handlers below keep open. */
function hanging(session: http2.ClientHttp2Session): http2.ClientHttp2Stream {
  const stream = session.request({ ':path': '/tickets', 'x-key': 'bob', 'x-hang': '1' })
  stream.on('error', () => {})
  return stream
}

/** The statuses of so many more streams of a session. */
function statusesOf(session: http2.ClientHttp2Session, count: number): Promise<number[]> {
  const one = () =>
    new Promise<number>((resolve, reject) => {
      const stream = session.request({ ':path': '/tickets', 'x-key': 'bob' })
      let status = 0
      stream.on('response', (headers) => {
        status = Number(headers[':status'])
      })
      stream.on('error', reject)
      stream.on('end', () => resolve(status))
      stream.resume()
    })
  return Promise.all(Array.from({ length: count }, one))
}

const isHanging = ({ raw }: Exchange) => raw.req.headers['x-hang'] !== undefined

/** Many requests on one HTTP/2 connection. */
export const streams: readonly Scenario[] = [
  {
    title: '49: sixty HTTP/2 streams, one reset in mid-air: exactly the limit',
    async run(world) {
      const reached = signal()
      const gone = signal()
      const handler: Handler = async (exchange) => {
        if (!isHanging(exchange)) return exchange.send(200, 'ok')
        reached.done()
        await closeOf(exchange)
        gone.done()
      }
      const limits = [world.tickets({ policy: crowdPolicy })]
      const client = await world.open({ limits, routes: [{ handler }], http2: true })
      const session = connected(world, client)
      const first = hanging(session)
      await reached.promise
      const others = statusesOf(session, 59)
      first.close(http2.constants.NGHTTP2_CANCEL)
      // The abandoned one has taken the first unit.
      expect((await others).sort()).toEqual([...Array(limit - 1).fill(200), ...Array(60 - limit).fill(429)])
      await gone.promise
      expect(await statusesOf(session, 1)).toEqual([429])
    },
  },
  {
    title: '49: HTTP/2 streams that are settled, reset or refused harm nothing',
    async run(world) {
      const endings: boolean[] = []
      const all = signal()
      const settle = (_: object, { aborted }: { aborted: boolean }) => {
        endings.push(aborted)
        if (endings.length === 3) all.done()
        return 0
      }
      const handler: Handler = async (exchange) => {
        if (isHanging(exchange)) await closeOf(exchange)
        else exchange.send(200, 'ok')
      }
      const client = await world.open({
        limits: [world.tickets({ policy: crowdPolicy, settle, key: undefined })],
        routes: [{ handler }],
        http2: true,
      })
      const session = connected(world, client)
      const first = hanging(session)
      expect(await statusesOf(session, 2)).toEqual([200, 200])
      first.close(http2.constants.NGHTTP2_CANCEL)
      await all.promise
      expect(endings.sort()).toEqual([false, false, true])
    },
  },
  {
    title: '49: an HTTP/2 session that is destroyed before the decision, or behind it, harms nothing',
    async run(world) {
      const decisions: string[] = []
      for (const where of ['before', 'behind'] as const) {
        const reached = signal()
        const decided = signal()
        const observers = [{ decided: () => void decisions.push(where) }]
        const gone: Handler = async (exchange) => {
          reached.done()
          await closeOf(exchange)
          // Of a session that is gone nobody knows the address: nothing is decided.
          if (where === 'before') setImmediate(() => setImmediate(decided.done))
        }
        const handler: Handler = async (exchange) => {
          if (where === 'behind') await gone(exchange)
          exchange.send(200, 'too late')
        }
        const settle = () => {
          decided.done()
          return 0
        }
        const client = await world.open({
          first: where === 'before' ? gone : undefined,
          limits: [world.tickets({ name: where, policy: crowdPolicy, settle, key: undefined, observers })],
          routes: [{ handler }],
          http2: true,
        })
        const session = http2.connect(client.url)
        session.on('error', () => {})
        session.request({ ':path': '/tickets' }).on('error', () => {})
        await reached.promise
        session.destroy()
        await decided.promise
      }
      expect(decisions).toEqual(['behind'])
    },
  },
]
