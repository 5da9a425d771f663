import { describe, expect, it } from '@jest/globals'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  isRefusedError,
  memoryStore,
  type Store,
} from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { createGate, type Gate } from '../src/gate.ts'
import { handleRequest } from '../src/handle.ts'
import type { AnyOptions } from '../src/options.ts'
import { exchangeOf } from './exchange.ts'

const twoIn10s = fixedWindow({ limit: 2, window: '10s' })

function gateOf(more: Partial<AnyOptions<object>> = {}): Gate<object> {
  const store = memoryStore({ clock: manualClock() })
  return createGate<object>({ policy: twoIn10s, name: 'tickets', store, ...more })
}

describe('a gate', () => {
  it('answers at once where store and functions do', () => {
    const outcome = handleRequest(gateOf({ key: () => 'bob' }), exchangeOf())
    expect(outcome).toMatchObject({ decision: { allowed: true, remaining: 1 }, refusal: null })
  })

  it('frees its place where a response takes no fields, as that of a WebSocket in websocket-express', async () => {
    const gate = gateOf({ policy: concurrency({ limit: 1 }), key: () => 'bob' })
    const exchange = exchangeOf()
    const fields = {
      headersSent: false,
      getHeader: () => undefined,
      setHeader: () => {
        throw new TypeError('no header can be set')
      },
    }
    expect(() => handleRequest(gate, { ...exchange, fields })).toThrow('no header can be set')
    expect(await handleRequest(gate, exchangeOf())).toMatchObject({ decision: { allowed: true } })
  })

  it('writes the fields that it answers', async () => {
    const exchange = exchangeOf()
    await handleRequest(gateOf(), exchange)
    expect(exchange.raw.getHeaders()).toEqual({
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '1',
      'x-ratelimit-reset': '10',
    })
  })

  it('counts a request once, however often it comes by', async () => {
    const gate = gateOf()
    const request = {}
    for (let i = 0; i < 3; i++) {
      expect(await handleRequest(gate, exchangeOf({}, request))).toMatchObject({
        decision: { remaining: 1 },
        refusal: null,
      })
    }
    expect(gate.decisionFor(request)).toMatchObject({ remaining: 1 })
  })

  it('counts a request once also where it comes by again behind another one', async () => {
    const [one, other] = [gateOf(), gateOf()]
    const request = {}
    for (const gate of [one, other, one, other])
      expect(await handleRequest(gate, exchangeOf({}, request))).toMatchObject({ decision: { remaining: 1 } })
  })

  it('counts each of several requests that share a list of raw headers', async () => {
    const gate = gateOf()
    const rawHeaders: string[] = []
    const requests = [{ rawHeaders }, { rawHeaders }]
    const remaining: unknown[] = []
    for (const request of requests)
      remaining.push((await handleRequest(gate, exchangeOf({}, request))).decision?.remaining)
    expect(remaining).toEqual([1, 0])
  })

  it('refuses again what it has refused', async () => {
    const gate = gateOf({ policy: fixedWindow({ limit: 1, window: '10s' }) })
    await handleRequest(gate, exchangeOf())
    const request = {}
    for (let i = 0; i < 2; i++) {
      expect(await handleRequest(gate, exchangeOf({}, request))).toMatchObject({ refusal: { status: 429 } })
    }
  })

  it('asks again where it could not decide', async () => {
    let broken = true
    const key = () => {
      if (broken) throw new Error('no key')
      return 'bob'
    }
    const gate = gateOf({ key })
    const request = {}
    expect(() => handleRequest(gate, exchangeOf({}, request))).toThrow('no key')
    broken = false
    expect(await handleRequest(gate, exchangeOf({}, request))).toMatchObject({ decision: { remaining: 1 } })
  })

  it('names the status of a refusal as an error', async () => {
    // biome-ignore format: a table
    const rows = [
      [{ policy: twoIn10s, cost: 3 },              429, 'Too Many Requests'],
      [{ denyList: ['192.0.2.0/24'] },             403, 'Forbidden'],
      [{ store: away, onStoreFailure: 'deny' },    503, 'Service Unavailable'],
    ] as const
    for (const [more, status, message] of rows) {
      const gate = gateOf({ refuseBy: 'error', logger: { warn: () => {}, error: () => {} }, ...more })
      const error = await caught(async () => handleRequest(gate, exchangeOf()))
      if (!isRefusedError(error)) throw new Error(`not a RefusedError: ${String(error)}`)
      expect([error.status, error.message, error.expose]).toEqual([status, message, true])
    }
  })

  it('says of a refusal that onRefused has spoilt what it may be, and not that it got nothing', async () => {
    const onRefused: AnyOptions<object>['onRefused'] = (_, __, refusal) => {
      Object.assign(refusal, { status: '420' })
    }
    const error = caught(async () => handleRequest(gateOf({ cost: 3, onRefused }), exchangeOf()))
    expect(await error).toMatchObject({
      path: 'onRefused',
      expected: 'nothing, or { status, type, body }: a number from 200 to 599 and two texts',
      got: 'an object',
    })
  })

  it('takes a sentence of onRefused as the message of the error', async () => {
    const onRefused: AnyOptions<object>['onRefused'] = (_, __, refusal) =>
      void Object.assign(refusal, { body: 'Later.' })
    const gate = gateOf({ refuseBy: 'error', cost: 3, onRefused })
    expect(await caught(async () => handleRequest(gate, exchangeOf()))).toMatchObject({ message: 'Later.' })
  })

  it('breaks off an answer that has begun rather than let a refused request go on', async () => {
    const exchange = exchangeOf()
    exchange.raw.flushHeaders()
    const error = await caught(async () => handleRequest(gateOf({ cost: 3 }), exchange))
    expect([isRefusedError(error), exchange.raw.destroyed]).toEqual([true, true])
    expect(exchange.raw.getHeaderNames()).toEqual([])
  })

  it('denies who is on both lists, and names no policy', async () => {
    const gate = gateOf({ allowList: ['192.0.2.0/24'], denyList: ['192.0.2.1'] })
    const { refusal } = await handleRequest(gate, exchangeOf())
    expect(refusal?.status).toBe(403)
    expect(JSON.parse(refusal?.body ?? '')).not.toHaveProperty('violated-policies')
  })

  it.each([{ status: 100 }, { status: 199 }, { status: 600 }, { type: 'text/plain\r\nSet-Cookie: a=b' }])(
    'sends no refusal that no framework can: %j',
    async (wrong) => {
      const good = { status: 429, type: 'text/plain', body: 'later' }
      const gate = gateOf({
        policy: fixedWindow({ limit: 1, window: '10s' }),
        onRefused: () => ({ ...good, ...wrong }),
      })
      await handleRequest(gate, exchangeOf())
      const answer = async () => handleRequest(gate, exchangeOf())
      await expect(answer()).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'onRefused' })
    },
  )

  it('leaves the charge where settle says no cost, and its correction to the handler', async () => {
    const warned: string[] = []
    const observers = [{ warned: ({ code }: { code: string }) => warned.push(code) }]
    const logger = { warn: () => {}, error: () => {} }
    const gate = gateOf({ settle: () => undefined, observers, logger })
    const exchange = exchangeOf()
    const { decision } = await handleRequest(gate, exchange)
    exchange.raw.emit('close')
    await new Promise((resolve) => setImmediate(resolve))
    expect(warned).toEqual([])
    expect(await handleRequest(gate, exchangeOf())).toMatchObject({ decision: { remaining: 0 } })
    await decision?.refund()
    expect(await handleRequest(gate, exchangeOf())).toMatchObject({ decision: { allowed: true } })
  })

  it('gives the key of a request without asking', async () => {
    const gate = gateOf({ key: async () => undefined })
    const { request, facts } = exchangeOf({ ip: '2001:db8::1' })
    expect(await gate.keyOf(request, facts)).toBe('keyless:2001:db8::/64')
    expect(await gateOf().keyOf(request, facts)).toBe('2001:db8::/64')
    expect(gate.decisionFor(request)).toBeUndefined()
  })

  it('warns of a settle that answers no cost', async () => {
    for (const cost of [0.5, -1, 'free', { visitor: 1 }]) {
      const warned: string[] = []
      const observers = [
        { warned: ({ code, message }: { code: string; message: string }) => warned.push(code, message) },
      ]
      const logger = { warn: () => {}, error: () => {} }
      const exchange = exchangeOf()
      await handleRequest(gateOf({ settle: () => cost as never, observers, logger }), exchange)
      exchange.raw.emit('close')
      await new Promise((resolve) => setImmediate(resolve))
      expect(warned).toEqual(['SLUICE_SETTLE_FAILED', expect.stringContaining('settle')])
    }
  })
})

describe('a gate around a decider of somebody else', () => {
  it('denies, warns and refuses without help from it', async () => {
    const limiter = createLimiter({ policy: twoIn10s, store: memoryStore({ clock: manualClock() }) })
    const decider = { name: 'mine', check: () => limiter.check('bob') }
    const gate = createGate<object>({ limiter: decider, denyList: ['10.0.0.1'] })
    expect(await handleRequest(gate, exchangeOf({ ip: '10.0.0.1' }))).toMatchObject({
      decision: { limiter: 'mine', reason: 'denied', source: 'none' },
      refusal: { status: 403 },
    })
    const outcomes = [1, 2, 3].map(
      async () =>
        (await handleRequest(gate, exchangeOf({ headers: { 'x-forwarded-for': '::1' } }))).refusal?.status,
    )
    expect(await Promise.all(outcomes)).toEqual([undefined, undefined, 429])
  })
})

const away: Store = {
  name: 'away',
  answer: ({ checks }) =>
    checks.map(({ policy }) => {
      const numbers = { limit: policy.limit, remaining: 0, retryAfterUs: 1e6, resetAfterUs: 0, waitUs: 0 }
      return { allowed: false, reason: 'store-unavailable', ...numbers, receipt: '', uncounted: true }
    }),
  adjust: () => {},
  manage: () => {},
  close: async () => {},
}

async function caught(run: () => Promise<unknown>): Promise<unknown> {
  try {
    await run()
  } catch (error) {
    return error
  }
  return undefined
}
