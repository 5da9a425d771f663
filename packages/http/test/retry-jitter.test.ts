import { describe, expect, it } from '@jest/globals'
import { createLimiter, type Decision, fixedWindow, memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { createGate, type Gate } from '../src/gate.ts'
import { handleRequest } from '../src/handle.ts'
import type { AnyOptions } from '../src/options.ts'
import { exchangeOf } from './exchange.ts'

const none = fixedWindow({ limit: 1, window: '10m' })

function gateOf(more: Partial<AnyOptions<object>>): Gate<object> {
  const store = memoryStore({ clock: manualClock() })
  return createGate<object>({ policy: none, name: 'tickets', store, ...more })
}

/** The refusal of a key's second request: what its fields and its body say, in seconds. */
async function refusedBy(gate: Gate<object>): Promise<{ [name: string]: number }> {
  await handleRequest(gate, exchangeOf())
  const exchange = exchangeOf()
  const { refusal } = await handleRequest(gate, exchange)
  const { retryAfter, detail } = JSON.parse(refusal?.body as string)
  const field = (name: string) => String(exchange.raw.getHeader(name))
  return {
    field: Number(field('retry-after')),
    reset: Number(field('x-ratelimit-reset')),
    item: Number(/t=(\d+)/.exec(field('ratelimit'))?.[1]),
    body: retryAfter,
    sentence: Number(/(\d+) seconds/.exec(detail)?.[1]),
  }
}

/** A refusal as a user's own decider may answer it. */
const ofADecider = {
  allowed: false,
  limiter: 'mine',
  policy: 'mine',
  key: 'bob',
  cost: 1,
  limit: 5,
  remaining: 0,
  resetAfterMs: 7000,
  reason: 'limited',
  retryAfterMs: 7000,
  source: 'mine',
  waitMs: 0,
  verdicts: {},
  shadow: null,
} as unknown as Decision

describe('retryJitter', () => {
  it('tells every client its own time, never a shorter one, the same in all fields and in the body', async () => {
    const seconds: number[] = []
    for (let i = 0; i < 300; i++) {
      const gate = gateOf({ key: () => `user:${i}`, retryJitter: '60s', headers: { draft: true } })
      const { field, ...others } = await refusedBy(gate)
      expect(Object.values(others)).toEqual([field, field, field, field])
      seconds.push(Number(field))
    }
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(600)
    expect(Math.max(...seconds)).toBeLessThanOrEqual(660)
    // 300 of 60 evenly: five each, of which none has so much as a tenth.
    const counts = Array.from({ length: 61 }, (_, i) => seconds.filter((each) => each === 600 + i).length)
    expect(Math.max(...counts)).toBeLessThan(30)
    for (const quarter of [0, 15, 30, 45])
      expect(counts.slice(quarter + 1, quarter + 16).reduce((sum, each) => sum + each, 0)).toBeGreaterThan(45)
  })

  it('tells a client that asks again the same instant, whichever process answers', async () => {
    const told = async (key: string) => {
      const { field = 0 } = await refusedBy(
        gateOf({ key: () => key, retryJitter: '60s', headers: { draft: true } }),
      )
      return field
    }
    expect(await told('bob')).toBe(await told('bob'))
    expect(await told('bob')).not.toBe(await told('eve'))
  })

  it.each([
    ['left out', {}],
    ['0', { retryJitter: 0 }],
  ])('lengthens nothing where it is %s', async (_, more) => {
    expect(await refusedBy(gateOf({ key: () => 'bob', headers: { draft: true }, ...more }))).toEqual({
      field: 600,
      reset: 600,
      item: 600,
      body: 600,
      sentence: 600,
    })
  })

  it('tells no time where waiting never helps', async () => {
    const exchange = exchangeOf()
    await handleRequest(gateOf({ key: () => 'bob', cost: 2, retryJitter: '60s' }), exchange)
    expect(exchange.raw.getHeader('retry-after')).toBeUndefined()
  })

  it('leaves the time of a policy that does not refuse', async () => {
    const limiter = createLimiter({
      policies: { one: none, more: fixedWindow({ limit: 9, window: '2m' }) },
      store: memoryStore({ clock: manualClock() }),
    })
    const gate = createGate<object>({
      limiter,
      key: () => 'bob',
      retryJitter: '60s',
      headers: { draft: true },
    })
    await handleRequest(gate, exchangeOf())
    const exchange = exchangeOf()
    await handleRequest(gate, exchange)
    expect(exchange.raw.getHeader('ratelimit')).toMatch(/^"one";r=0;t=6\d\d, "more";r=8;t=120$/)
  })

  it('leaves a decision as it is that its own decider has frozen', async () => {
    const refused = Object.freeze({ ...ofADecider })
    const limiter = { name: 'mine', check: async () => refused }
    const exchange = exchangeOf()
    await handleRequest(createGate<object>({ limiter, key: () => 'bob', retryJitter: '60s' }), exchange)
    expect(exchange.raw.getHeader('retry-after')).toBe('7')
  })

  it('lengthens a refusal once that its own decider answers again and again', async () => {
    const refused = { ...ofADecider }
    const limiter = { name: 'mine', check: async () => refused }
    const gate = createGate<object>({ limiter, key: () => 'bob', retryJitter: '60s' })
    const told: unknown[] = []
    for (let i = 0; i < 3; i++) {
      const exchange = exchangeOf()
      await handleRequest(gate, exchange)
      told.push(exchange.raw.getHeader('retry-after'))
    }
    expect(new Set(told).size).toBe(1)
    expect(Number(told[0])).toBeGreaterThan(7)
  })

  it('is a time', () => {
    expect(() => gateOf({ retryJitter: 'soon' as '1s' })).toThrow('retryJitter: expected ')
  })
})
