import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterEach, describe, expect, it } from '@jest/globals'
import { concurrency, createLimiter, type Decision, fixedWindow, memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { guardUpgrade } from '../src/index.ts'

const oneIn10s = fixedWindow({ limit: 1, window: '10s' })
const quiet = { logger: { warn: () => {}, error: () => {} } }

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

type Guard = (request: IncomingMessage, socket: Duplex) => Promise<boolean>

/** A server whose upgrades are guarded; what passes is answered with 101, and ended unless it stays open, or left alone. */
async function serve(
  guard: Guard,
  then: 'end' | 'open' | 'untouched' = 'end',
): Promise<{ port: number; passed: boolean[]; allClosed: () => Promise<void> }> {
  const server = createServer()
  const closings: Promise<void>[] = []
  server.on('connection', (socket) => {
    closings.push(new Promise((resolve) => socket.once('close', () => resolve())))
  })
  const allClosed = async () => void (await Promise.all(closings))
  const passed: boolean[] = []
  server.on('upgrade', async (request, socket) => {
    const pass = await guard(request, socket)
    passed.push(pass)
    if (then === 'untouched') return
    const answer = 'HTTP/1.1 101 Switching Protocols\r\n\r\n'
    socket.on('error', () => {})
    if (pass && then === 'end') socket.end(answer)
    if (!pass || then === 'end') return
    socket.write(answer)
    socket.resume().on('end', () => socket.end())
  })
  cleanups.push(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, passed, allClosed } // it listens on a port
}

function connect(port: number, fields: readonly string[] = []): net.Socket {
  const socket = net.connect(port, '127.0.0.1')
  const lines = ['GET / HTTP/1.1', 'Host: zoo', 'Connection: Upgrade', 'Upgrade: websocket', ...fields]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  return socket
}

/** All that the server sends, until it ends its half of the connection. */
function answerOf(socket: net.Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += String(chunk)
    })
    socket.on('error', reject)
    socket.on('end', () => resolve(text))
  })
}

async function statusOf(port: number, fields?: readonly string[]): Promise<number> {
  return Number((await answerOf(connect(port, fields))).slice(9, 12))
}

/** The keys under which an upgrade is counted that brings such a field. */
async function countedAs(trustProxy: readonly string[] | undefined, forwarded: string): Promise<unknown[]> {
  const keys: unknown[] = []
  const observers = [{ decided: ({ key }: { key: unknown }) => keys.push(key) }]
  const { port } = await serve(guardUpgrade({ policy: oneIn10s, trustProxy, observers, ...quiet }))
  expect(await statusOf(port, [`X-Forwarded-For: ${forwarded}`])).toBe(101)
  return keys
}

/** A key that is looked up until the test has seen enough. */
function lateKey() {
  let asked = () => {}
  let answer = () => {}
  const reached = new Promise<void>((resolve) => {
    asked = resolve
  })
  const gone = new Promise<string>((resolve) => {
    answer = () => resolve('bob')
  })
  const key = () => {
    asked()
    return gone
  }
  return { key, reached, answer: () => answer() }
}

describe('guardUpgrade', () => {
  it('refuses on the socket past the limit, and ends it though the client does not', async () => {
    const { port, passed, allClosed } = await serve(guardUpgrade({ policy: oneIn10s, ...quiet }))
    expect(await statusOf(port)).toBe(101)
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.write('GET / HTTP/1.1\r\nHost: zoo\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    cleanups.push(() => socket.destroy())
    expect(await answerOf(socket)).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n/)
    await allClosed()
    expect(passed).toEqual([true, false])
  })

  it('has its limiter, and the key and the decision of a request, as every middleware', async () => {
    const policy = concurrency({ limit: 5 })
    const connections = guardUpgrade({ policy, trustProxy: ['127.0.0.1'], ...quiet })
    const requests: IncomingMessage[] = []
    const guard: Guard = (request, socket) => {
      requests.push(request)
      return connections(request, socket)
    }
    const { port, allClosed } = await serve(guard, 'open')
    const socket = connect(port, ['X-Forwarded-For: 192.0.2.7'])
    await once(socket, 'data')
    const [request] = requests as [IncomingMessage] // what has been answered
    expect(await connections.keyOf(request)).toBe('192.0.2.7')
    expect(connections.decisionFor(request)?.allowed).toBe(true)
    expect((await connections.limiter.peek('192.0.2.7')).remaining).toBe(4)
    socket.end()
    await allClosed()
    expect((await connections.limiter.peek('192.0.2.7')).remaining).toBe(5)
  })

  it('says the length of a refusal in bytes', async () => {
    const onRefused = () => ({ status: 429, type: 'text/plain; charset=utf-8', body: 'später' })
    const { port } = await serve(guardUpgrade({ policy: oneIn10s, onRefused, ...quiet }))
    expect(await statusOf(port)).toBe(101)
    const answer = await answerOf(connect(port))
    expect(answer).toContain('\r\nContent-Length: 7\r\n')
    expect(answer).toMatch(/\r\n\r\nspäter$/)
  })

  it('closes a socket whose client has ended its half while it waits, and counts nothing for it', async () => {
    const { key, reached, answer } = lateKey()
    const { port, passed } = await serve(guardUpgrade({ policy: oneIn10s, key, ...quiet }))
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    cleanups.push(() => socket.destroy())
    socket.end('GET / HTTP/1.1\r\nHost: zoo\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    await reached
    socket.resume()
    await once(socket, 'close')
    expect(passed).toEqual([])
    answer()
  })

  it('counts nothing for a client that has ended its half before the guard is asked', async () => {
    const limiter = createLimiter({ name: 'late', policy: oneIn10s, store: memoryStore(), ...quiet })
    const guard = guardUpgrade({ limiter, key: () => 'bob' })
    // As who looks a session up before.
    const late: Guard = async (request, socket) => {
      await once(socket, 'end')
      return guard(request, socket)
    }
    const { port, passed, allClosed } = await serve(late)
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    cleanups.push(() => socket.destroy())
    socket.end('GET / HTTP/1.1\r\nHost: zoo\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    socket.resume()
    await once(socket, 'close')
    await allClosed()
    expect(passed).toEqual([false])
    expect((await limiter.peek('bob')).remaining).toBe(1)
  })

  // biome-ignore format: a table
  it.each([
    // trusted           forwarded                        counted as
    [undefined,          '192.0.2.1',                     '127.0.0.1'],
    [['127.0.0.1', '10.0.0.0/8'], 'unknown, 10.0.0.2',    '10.0.0.2'],
    [[],                 '192.0.2.1',                     '127.0.0.1'],
    [['127.0.0.1'],      '192.0.2.1',                     '192.0.2.1'],
    [['127.0.0.1'],      '10.0.0.9, 192.0.2.1:8080',      '192.0.2.1'],
    [['127.0.0.0/8', '10.0.0.0/8'], '203.0.113.7, 192.0.2.1, 10.0.0.9', '192.0.2.1'],
    [['127.0.0.1'],      'garbage',                       '127.0.0.1'],
    [['127.0.0.1'],      '192.0.2.1, garbage',            '127.0.0.1'],
  ])('behind %j counts %j as %s', async (trustProxy, forwarded, address) => {
    expect(await countedAs(trustProxy, forwarded)).toEqual([address])
  })

  // biome-ignore format: a table
  it.each([
    // what is too long             forwarded                                counted as
    ['digits before the client',   `${'1'.repeat(3000)}, 192.0.2.1`,        '192.0.2.1'],
    ['digits alone',               '1'.repeat(3000),                        '127.0.0.1'],
    // Cut where it is too long, the first member would read 11.0.0.1.
    ['a chain of trusted proxies', `211.0.0.1${',127.0.0.1'.repeat(204)}`,  '127.0.0.1'],
  ])('reads the end of %s', async (_, forwarded, address) => {
    expect(await countedAs(['127.0.0.1'], forwarded)).toEqual([address])
  })

  it('slows upgrades down, and refuses none', async () => {
    const clock = manualClock()
    const limiter = createLimiter({ name: 'slow', policy: oneIn10s, store: memoryStore({ clock }), ...quiet })
    const slowDown = { delayAfter: 1, delayMs: 500 }
    const { port } = await serve(guardUpgrade({ limiter, key: () => 'bob', slowDown }))
    expect(await statusOf(port)).toBe(101)
    const second = statusOf(port)
    while (limiter.health().sleepers === 0) await new Promise((resolve) => setImmediate(resolve))
    await clock.advance('500ms')
    expect(await second).toBe(101)
  })

  it('answers 500 where a function throws, and warns: nobody is there to catch', async () => {
    const warned: string[] = []
    const observers = [{ warned: ({ code }: { code: string }) => warned.push(code) }]
    const fail = () => {
      throw undefined
    }
    for (const key of [fail, async () => fail()]) {
      const { port, passed } = await serve(guardUpgrade({ policy: oneIn10s, key, observers, ...quiet }))
      expect(await statusOf(port)).toBe(500)
      expect(passed).toEqual([false])
    }
    expect(warned).toEqual(['SLUICE_UPGRADE_FAILED', 'SLUICE_UPGRADE_FAILED'])
  })

  it('sends what onRefused and refuseBy make of a refusal', async () => {
    const onRefused = () => ({ status: 503, type: 'text/plain', body: 'Later.' })
    for (const refuseBy of ['response', 'error'] as const) {
      const { port } = await serve(guardUpgrade({ policy: oneIn10s, cost: 2, onRefused, refuseBy, ...quiet }))
      expect(await answerOf(connect(port))).toMatch(
        /^HTTP\/1\.1 503 Service Unavailable\r\n(?:.+\r\n)+\r\nLater\.$/,
      )
    }
  })

  it('survives a client that resets the connection meanwhile', async () => {
    const { key, reached, answer } = lateKey()
    const { port, passed, allClosed } = await serve(
      guardUpgrade({ policy: oneIn10s, cost: 2, key, ...quiet }),
    )
    const socket = connect(port)
    socket.on('error', () => {})
    await reached
    socket.resetAndDestroy()
    await allClosed()
    answer()
    while (passed.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(passed).toEqual([false])
  })

  it('a client that resets the connection at once is on no list, and counted as nobody', async () => {
    const reasons: unknown[] = []
    const observers = [{ decided: ({ reason }: { reason: unknown }) => reasons.push(reason) }]
    const guard = guardUpgrade({ policy: oneIn10s, denyList: ['127.0.0.1'], observers, ...quiet })
    const { port, passed } = await serve(guard)
    const socket = connect(port)
    socket.on('error', () => {})
    socket.on('connect', () => setImmediate(() => socket.resetAndDestroy()))
    await once(socket, 'close')
    expect(await statusOf(port)).toBe(403)
    expect([passed, reasons]).toEqual([[false, false], ['denied']])
  })

  it('a place in flight is taken until the socket closes', async () => {
    const limiter = createLimiter({ policy: concurrency({ limit: 1 }), ...quiet })
    const { port } = await serve(guardUpgrade({ limiter, key: () => 'bob' }), 'open')
    const isFree = async () => (await limiter.peek('bob')).remaining === 1
    for (const leave of ['end', 'resetAndDestroy'] as const) {
      const socket = connect(port)
      await once(socket, 'data')
      expect(await statusOf(port)).toBe(429)
      socket[leave]()
      while (!(await isFree())) await new Promise((resolve) => setImmediate(resolve))
    }
  })

  it.each(['end', 'resetAndDestroy'] as const)(
    'a client that goes while it waits for a place leaves the line: %s',
    async (leave) => {
      const limiter = createLimiter({ policy: concurrency({ limit: 1 }), ...quiet })
      const held = await limiter.check('bob')
      const { port, passed } = await serve(guardUpgrade({ limiter, key: () => 'bob', maxWait: '20s' }))
      const socket = connect(port)
      socket.on('error', () => {})
      while (limiter.health().sleepers === 0) await new Promise((resolve) => setImmediate(resolve))
      socket[leave]()
      while (limiter.health().sleepers > 0) await new Promise((resolve) => setImmediate(resolve))
      await held.release()
      expect([passed, (await limiter.peek('bob')).remaining]).toEqual([[false], 1])
    },
  )

  it('a client that goes before its place is taken leaves none behind', async () => {
    const decided: Decision[] = []
    const observers = [{ decided: (decision: Decision) => void decided.push(decision) }]
    const limiter = createLimiter({ policy: concurrency({ limit: 1 }), observers, ...quiet })
    const { key, reached, answer } = lateKey()
    const { port, passed, allClosed } = await serve(guardUpgrade({ limiter, key }))
    const socket = connect(port)
    socket.on('error', () => {})
    await reached
    socket.resetAndDestroy()
    await allClosed()
    answer()
    while (passed.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(decided.map(({ allowed }) => allowed)).toEqual([true])
    expect((await limiter.peek('bob')).remaining).toBe(1)
  })

  it('a place is not renewed any more where a client has ended its half and nobody closes its socket', async () => {
    const clock = manualClock()
    const store = memoryStore({ clock })
    const limiter = createLimiter({ policy: concurrency({ limit: 1 }), store, ...quiet })
    const guard = guardUpgrade({ limiter, key: () => 'bob' })
    let ended = () => {}
    const end = new Promise<void>((resolve) => {
      ended = resolve
    })
    // As http-proxy while the server behind does not answer.
    const forgetful: Guard = async (request, socket) => {
      const pass = await guard(request, socket)
      socket.once('end', () => ended())
      cleanups.push(() => socket.destroy())
      return pass
    }
    const { port, passed } = await serve(forgetful, 'untouched')
    const socket = connect(port)
    while (passed.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await clock.advance('1h')
    expect((await limiter.peek('bob')).remaining).toBe(0)
    socket.end()
    await end
    await clock.advance('30s')
    expect((await limiter.peek('bob')).remaining).toBe(1)
  })

  it('a place is not renewed any more where the server has ended its half, and bytes behind the upgrade are unread', async () => {
    const clock = manualClock()
    const store = memoryStore({ clock })
    const limiter = createLimiter({ policy: concurrency({ limit: 1 }), store, ...quiet })
    const guard = guardUpgrade({ limiter, key: () => 'bob' })
    // As http-proxy where the server behind it refuses.
    const refusing: Guard = async (request, socket) => {
      const pass = await guard(request, socket)
      socket.unshift(Buffer.from('x'))
      cleanups.push(() => socket.destroy())
      socket.end('HTTP/1.1 404 Not Found\r\n\r\n')
      return pass
    }
    const { port, passed } = await serve(refusing, 'untouched')
    const socket = connect(port).resume()
    const answered = once(socket, 'end')
    while (passed.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await answered
    socket.destroy()
    await clock.advance('30s')
    expect((await limiter.peek('bob')).remaining).toBe(1)
  })

  it('a client that resets its socket before somebody listens does not end the process', async () => {
    const { port, passed, allClosed } = await serve(guardUpgrade({ policy: oneIn10s, ...quiet }), 'untouched')
    const socket = connect(port)
    while (passed.length === 0) await new Promise((resolve) => setImmediate(resolve))
    socket.resetAndDestroy()
    await allClosed()
    expect(passed).toEqual([true])
  })

  it('refuses options that mean nothing here', () => {
    const settle = () => 0
    // biome-ignore format: a table
    const rows = [
      [{ settle },                           'settle'],
      [{ trustProxy: '10.0.0.0/8' },         'trustProxy'],
      [{ trustProxy: ['10.0.0.1/8'] },       'trustProxy[0]'],
      [{ hook: 'onRequest' },                'hook'],
      [{ releaseOnAbort: 'yes' },            'releaseOnAbort'],
      [{ releaseOnAbort: null },             'releaseOnAbort'],
      [{ releaseOnAbort: 0 },                'releaseOnAbort'],
    ] as const
    for (const [more, path] of rows) {
      const build = () => guardUpgrade({ policy: oneIn10s, store: memoryStore(), ...more } as never) // programs without types
      expect(build).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }))
    }
  })
})
