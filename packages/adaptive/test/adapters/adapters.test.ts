import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import {
  type AdaptiveLimit,
  adaptiveLimit,
  type Priority,
  type SheddingOptions,
  shedding,
} from '@sluice/adaptive'
import { shed as expressShed } from '@sluice/adaptive/express'
import { shed as koaShed } from '@sluice/adaptive/koa'
import { manualClock } from '@sluice/testing'
import express from 'express'
import { frameworks, type Site } from './frameworks.ts'
import { until, Work } from './work.ts'

const quiet = { delayMs: 0, close: () => {} }

describe.each(frameworks)('on %s', (_name, start) => {
  const sites: Site[] = []
  const sockets: Socket[] = []
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    for (const site of sites.splice(0)) await site.close()
  })

  interface Begun {
    readonly limit: AdaptiveLimit
    readonly clock: ReturnType<typeof manualClock>
    readonly work: Work
    get(path: string, headers?: Record<string, string>): Promise<Response>
    /** Sends this text as it is. */
    send(text: string): Promise<Socket>
  }

  async function begin(
    options: SheddingOptions & { initial?: number; max?: number; priority?: (path: string) => Priority } = {},
  ): Promise<Begun> {
    const { initial = 2, max = 4, priority = () => 'default' as const, ...others } = options
    const clock = manualClock()
    const limit = adaptiveLimit({
      algorithm: 'aimd',
      min: 1,
      initial,
      max,
      samples: 1,
      window: 1,
      hold: '30s',
      clock,
    })
    const work = new Work()
    const load = shedding({ limit, loopDelay: quiet, random: () => 0.5, ...others })
    const site = await start({ load, work, priority })
    sites.push(site)
    return {
      limit,
      clock,
      work,
      get: (path, headers = {}) => fetch(`http://127.0.0.1:${site.port}${path}`, { headers }),
      send: async (text) => {
        const socket = connect(site.port, '127.0.0.1')
        sockets.push(socket)
        socket.on('error', () => {})
        await once(socket, 'connect')
        socket.write(text)
        return socket
      },
    }
  }

  const getOf = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

  test('a request that is answered has had one place, though the middleware runs twice', async () => {
    const { limit, work, get } = await begin()
    work.stop()
    const answer = get('/wait')
    await until(() => work.begun.length === 1)
    expect(limit.inFlight).toBe(1)
    work.go()
    expect(await (await answer).text()).toBe('done')
    expect(limit.inFlight).toBe(0)
  })

  test('where no place is free it is 503 with Retry-After at once, until one is', async () => {
    const { limit, work, get } = await begin()
    work.stop()
    const waiting = [get('/wait'), get('/wait')]
    await until(() => work.begun.length === 2)
    const refused = await get('/ok')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '3']) // between 1 and 5 s
    expect(refused.headers.get('content-type')).toBe('application/problem+json')
    expect(refused.headers.get('cache-control')).toBe('no-store')
    expect(await refused.json()).toEqual({
      type: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
      title: 'Request cannot be satisfied due to temporary server capacity constraints',
      status: 503,
      detail: 'The service is busy: try again in 3 s.',
      retryAfter: 3,
    })
    expect(work.begun).toHaveLength(2)
    work.go()
    for (const each of waiting) expect((await each).status).toBe(200)
    expect([(await get('/ok')).status, limit.inFlight]).toEqual([200, 0])
  })

  test('a handler that throws gives its place back', async () => {
    const { limit, get } = await begin()
    expect([(await get('/throw')).status, limit.inFlight]).toEqual([500, 0])
  })

  test('a handler that answers 503 has dropped its work: the limit shrinks', async () => {
    const { limit, clock, get } = await begin({ initial: 4 })
    await clock.advance(1)
    expect([(await get('/busy')).status, limit.limit]).toEqual([503, 3])
  })

  test('who hangs up before the request is complete has had no place', async () => {
    const { limit, work, get, send } = await begin()
    const socket = await send('GET /wait HTTP/1.1\r\nHost:')
    socket.destroy()
    await get('/ok')
    expect([work.begun.length, limit.inFlight]).toEqual([1, 0])
  })

  test('who hangs up leaves a handler that works on: its place is free when that is over', async () => {
    const { limit, work, send } = await begin()
    work.stop()
    const socket = await send(getOf('/wait'))
    await until(() => work.begun.length === 1)
    socket.destroy()
    await work.closed()
    expect(limit.inFlight).toBe(1)
    work.go()
    await until(() => limit.inFlight === 0)
  })

  test('who hangs up in the middle of a stream ends it', async () => {
    const { limit, work, send } = await begin()
    const socket = await send(getOf('/stream'))
    await until(() => work.begun.length === 1)
    await once(socket, 'data')
    expect(limit.inFlight).toBe(1)
    socket.destroy()
    await until(() => limit.inFlight === 0)
  })

  test('who hangs up before a stream begins ends it', async () => {
    const { limit, work, send } = await begin()
    work.stop()
    const socket = await send(getOf('/late-stream'))
    await until(() => work.begun.length === 1)
    socket.destroy()
    await work.closed()
    expect(limit.inFlight).toBe(1)
    work.go()
    await until(() => limit.inFlight === 0)
  })

  test('who never reads a large answer holds no place: its handler is over', async () => {
    const { limit, work, send } = await begin()
    const socket = await send(getOf('/large'))
    socket.pause()
    await until(() => work.begun.length === 1)
    await until(() => limit.inFlight === 0)
    expect([work.begun[0]?.writableFinished, socket.destroyed]).toEqual([false, false])
  })

  test('who sends a second request before the first is answered has two places', async () => {
    const { limit, work, send } = await begin()
    work.stop()
    const socket = await send(getOf('/wait') + getOf('/wait'))
    await until(() => work.begun.length === 2)
    expect(limit.inFlight).toBe(2)
    socket.destroy()
    work.go()
    await until(() => limit.inFlight === 0)
  })

  test('a handler that never ends loses its place after `hold`, and gives it back only once', async () => {
    const { limit, clock, work, get, send } = await begin({ initial: 1, max: 1 })
    const socket = await send(getOf('/never'))
    await until(() => work.begun.length === 1)
    expect((await get('/ok')).status).toBe(503)
    await clock.advance('30s')
    expect((await get('/ok')).status).toBe(200)
    socket.destroy()
    await work.closed()
    expect(limit.inFlight).toBe(0)
  })

  test('a crowd that hangs up in the middle of a request, behind it and in the middle of the answer leaves no place', async () => {
    const { limit, work, send } = await begin({ initial: 100, max: 100 })
    work.stop()
    const paths = ['/wait', '/ok', '/stream', '/throw', '/large', '/busy']
    const hangUp = async (path: string, i: number) => {
      const socket = await send(i % 3 === 0 ? getOf(path).slice(0, 20) : getOf(path))
      if (i % 3 === 1 && path !== '/wait') await once(socket, 'data')
      socket.destroy()
    }
    await Promise.all(Array.from({ length: 6 }, (_, i) => paths.map((path) => hangUp(path, i))).flat())
    work.go()
    await until(() => work.begun.length >= 10 && limit.inFlight === 0)
  })

  test('critical requests have places where others are refused', async () => {
    const { work, get } = await begin({ priority: (path) => (path === '/ok' ? 'critical' : 'default') })
    work.stop()
    const waiting = [get('/wait'), get('/wait')]
    await until(() => work.begun.length === 2)
    expect([(await get('/ok')).status, (await get('/wait')).status]).toEqual([200, 503])
    work.go()
    await Promise.all(waiting)
  })

  test('a priority that throws, or that there is not, is an error of the application and takes no place', async () => {
    const { limit, work, get } = await begin({
      priority: (path) => {
        if (path === '/ok') throw new Error('the function fails')
        return 'high' as Priority
      },
    })
    expect([(await get('/ok')).status, (await get('/other')).status]).toEqual([500, 500])
    expect([limit.inFlight, work.begun.length]).toEqual([0, 0])
  })

  test('what has waited before it came is refused, where a header says so and its name is set', async () => {
    const headers = { 'X-Request-Start': 't=1700000000.000' }
    const nowMs = () => 1_700_000_002_000
    const off = await begin({ nowMs })
    expect((await off.get('/ok', headers)).status).toBe(200)
    const on = await begin({ nowMs, queueing: { header: 'X-Request-Start' } })
    expect((await on.get('/ok', headers)).status).toBe(503)
    expect((await on.get('/ok')).status).toBe(200)
  })
})

// biome-ignore format: a table
const wrong = [
  [{ load: {} },            'load: expected what shedding() makes, got an object'],
  [{ priority: 'high' },    'priority: expected "critical" or "default" or "sheddable", got "high" (string)'],
  [{ limit: 1 },            'limit: expected a known option'],
] as const
test.each(wrong)('%j is an OptionError of the middleware', (options, message) => {
  expect(() => expressShed(options as object)).toThrow(message)
  expect(() => koaShed(options as object)).toThrow(message)
})

test('a route of Express says what its request has, behind shedding as without it', () => {
  interface Params {
    id: string
  }
  const app = express().get<Params>('/declared/:id', expressShed(), (req, res) => {
    res.send(req.params.id)
  })
  app.get('/inferred/:id', expressShed(), (req, res) => {
    res.send(req.params.id.toUpperCase())
  })
  expect(typeof app).toBe('function')
})
