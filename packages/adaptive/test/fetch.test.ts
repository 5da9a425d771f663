import { once } from 'node:events'
import { connect } from 'node:net'
import { serve } from '@hono/node-server'
import { afterEach, describe, expect, test } from '@jest/globals'
import { adaptiveLimit, type Priority, type SheddingOptions, shedding } from '@sluice/adaptive'
import { shed } from '@sluice/adaptive/fetch'
import { manualClock } from '@sluice/testing'
import { Hono } from 'hono'
import { until } from './adapters/work.ts'

const quiet = { delayMs: 0, close: () => {} }

function begin(options: SheddingOptions & { initial?: number; priority?: (url: URL) => Priority } = {}) {
  const { initial = 2, priority = () => 'default' as const, ...others } = options
  const clock = manualClock()
  const limit = adaptiveLimit({ algorithm: 'aimd', min: 1, initial, max: 4, samples: 1, window: 1, clock })
  const load = shedding({ limit, loopDelay: quiet, random: () => 0.5, ...others })
  return { clock, limit, load, around: shed({ load, priority: ({ url }) => priority(new URL(url)) }) }
}

const request = (path = '/', init: RequestInit = {}) => new Request(`http://zoo.example${path}`, init)
const hello = () => new Response('hello')

/** A handler that answers after `go()`. */
function waiting() {
  const begun: Request[] = []
  let go = () => {}
  const released = new Promise<void>((resolve) => {
    go = resolve
  })
  async function handler(asked: Request): Promise<Response> {
    begun.push(asked)
    await released
    return hello()
  }
  return { handler, begun, go }
}

describe('around a Web-standard handler', () => {
  test('a request has one place while the handler is at work, though it is put around it twice', async () => {
    const { around, limit } = begin()
    const { handler, go } = waiting()
    const answer = around(around(handler))(request())
    expect(limit.inFlight).toBe(1)
    go()
    expect(await (await answer).text()).toBe('hello')
    expect(limit.inFlight).toBe(0)
  })

  test('a frozen Request has one place too', async () => {
    const { around, limit } = begin()
    const { handler, go } = waiting()
    const answer = around(around(handler))(Object.freeze(request()))
    expect(limit.inFlight).toBe(1)
    go()
    await answer
    expect(limit.inFlight).toBe(0)
  })

  test('the same Request may come again', async () => {
    const { around, limit } = begin()
    const { handler, go } = waiting()
    const once = request()
    await around(hello)(once)
    void around(handler)(once)
    expect(limit.inFlight).toBe(1)
    go()
  })

  test('two sheddings around each other each have a place', async () => {
    const [outer, inner] = [begin(), begin()]
    const { handler, go } = waiting()
    const answer = outer.around(inner.around(handler))(request())
    expect([outer.limit.inFlight, inner.limit.inFlight]).toEqual([1, 1])
    go()
    await answer
    expect([outer.limit.inFlight, inner.limit.inFlight]).toEqual([0, 0])
  })

  test('where no place is free it is 503 with Retry-After at once, and the handler is not called', async () => {
    const { around, load } = begin()
    const { handler, begun, go } = waiting()
    const answers = [0, 1].map(() => around(handler)(request()))
    const refused = await around(handler)(request())
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '3']) // between 1 and 5 s
    expect(refused.headers.get('content-type')).toBe('application/problem+json')
    expect(await refused.json()).toMatchObject({ status: 503, retryAfter: 3 })
    expect(begun).toHaveLength(2)
    expect(load.health().refused.default.limit).toBe(1)
    go()
    for (const { status } of await Promise.all(answers)) expect(status).toBe(200)
  })

  test('a handler that throws, at once or later, gives its place back, and the error is that of the platform', async () => {
    const { around, limit } = begin()
    const atOnce = around((): Response => {
      throw new Error('at once')
    })
    const later = around(() => Promise.reject(new Error('later')))
    await expect(atOnce(request())).rejects.toThrow('at once')
    await expect(later(request())).rejects.toThrow('later')
    expect(limit.inFlight).toBe(0)
  })

  test.each([503, 504])(
    'a handler that answers %i has dropped its work: the limit shrinks',
    async (status) => {
      const { around, limit, clock } = begin({ initial: 4 })
      await clock.advance(1)
      await around(() => new Response(null, { status }))(request())
      expect(limit.limit).toBe(3)
    },
  )

  test('the work of a caller that has gone says nothing, though it is cut short', async () => {
    const { around, limit, clock } = begin({ initial: 4 })
    await clock.advance(1)
    const gone = new AbortController()
    const handler = around(async ({ signal }: Request) => {
      await once(signal, 'abort')
      return new Response(null, { status: 503 })
    })
    const answer = handler(request('/', { signal: gone.signal }))
    gone.abort()
    await answer
    expect([limit.limit, limit.inFlight]).toEqual([4, 0])
  })

  test('what the handler gets and returns is passed on: further arguments, a subclass of Request, nothing at all', async () => {
    const { around, limit } = begin()
    class Special extends Request {
      readonly special = true
    }
    const handler = around((asked: Special, server: { readonly upgrades: boolean }) =>
      asked.special && server.upgrades ? undefined : hello(),
    )
    expect(await handler(new Special('http://zoo.example/'), { upgrades: true })).toBeUndefined()
    expect(limit.inFlight).toBe(0)
  })

  test('critical requests have places where others are refused', async () => {
    const { around } = begin({ priority: ({ pathname }) => (pathname === '/pay' ? 'critical' : 'default') })
    const { handler, go } = waiting()
    const answers = [0, 1].map(() => around(handler)(request()))
    expect((await around(hello)(request('/pay'))).status).toBe(200)
    expect((await around(hello)(request())).status).toBe(503)
    go()
    await Promise.all(answers)
  })

  test('a priority function that throws or names no priority is an error and takes no place', async () => {
    const { around, limit } = begin({
      priority: ({ pathname }) => {
        if (pathname === '/') throw new Error('the function fails')
        return 'high' as Priority
      },
    })
    const asked = request()
    await expect(around(hello)(asked)).rejects.toThrow('the function fails')
    await expect(around(hello)(request('/other'))).rejects.toThrow('priority: expected "critical"')
    expect(limit.inFlight).toBe(0)
  })

  test('what has waited before it came is refused, where a header says so and its name is set', async () => {
    const headers = { 'X-Request-Start': 't=1700000000.000' }
    const nowMs = () => 1_700_000_002_000
    const off = begin({ nowMs })
    expect((await off.around(hello)(request('/', { headers }))).status).toBe(200)
    const on = begin({ nowMs, queueing: { header: 'X-Request-Start' } })
    expect((await on.around(hello)(request('/', { headers }))).status).toBe(503)
    expect((await on.around(hello)(request('/', { headers: { get: 'get' } }))).status).toBe(200)
  })

  test.each([null, 'hello', {}])('%j for a handler is an OptionError', (handler) => {
    const { around } = begin()
    expect(() => around(handler as () => Response)).toThrow('handler: expected a function')
  })
})

describe('with Hono on sockets', () => {
  const ends: (() => void)[] = []
  afterEach(() => {
    for (const end of ends.splice(0)) end()
  })

  test('a crowd that hangs up or fails leaves no place, and the rest is answered', async () => {
    const { around, limit } = begin({ initial: 2 })
    const { handler, begun, go } = waiting()
    const app = new Hono()
    app.get('/wait', (c) => handler(c.req.raw))
    app.get('/throw', () => {
      throw new Error('the handler fails')
    })
    app.get('/hello', hello)
    app.onError((_error, c) => c.text('failed', 500))
    const server = serve({ fetch: around(app.fetch), port: 0, hostname: '127.0.0.1' })
    ends.push(() => server.close())
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
    const sockets = await Promise.all(
      [0, 1].map(async () => {
        const socket = connect(port, '127.0.0.1')
        socket.on('error', () => {})
        await once(socket, 'connect')
        socket.write('GET /wait HTTP/1.1\r\nHost: a\r\n\r\n')
        return socket
      }),
    )
    await until(() => begun.length === 2)
    expect([await get('/hello'), limit.inFlight]).toEqual([503, 2])
    for (const socket of sockets) socket.destroy()
    // Their handlers work on.
    expect(await get('/hello')).toBe(503)
    go()
    await until(() => limit.inFlight === 0)
    expect([await get('/throw'), await get('/hello'), limit.inFlight]).toEqual([500, 200, 0])
  })
})
