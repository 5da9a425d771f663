import { describe, expect, it } from '@jest/globals'
import { concurrency, createLimiter, fixedWindow, gcra, memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { createGate } from '../src/gate.ts'
import { handleRequest } from '../src/handle.ts'
import type { AnyOptions } from '../src/options.ts'
import { exchangeOf } from './exchange.ts'

const policy = fixedWindow({ limit: 6, window: '15m' })

/** Gates of several processes over one store, whose clock the test moves. */
function processes(options: AnyOptions<object>, count = 1) {
  const clock = manualClock()
  const store = memoryStore({ clock })
  const gates = Array.from({ length: count }, () =>
    createGate<object>({ name: 'slow', store, policy, ...options }),
  )
  const startMs = clock.nowUs() / 1000
  /** After how many milliseconds a request goes on, and what was written on it. */
  async function go(nth: number): Promise<readonly [ms: number, fields: number, refused: boolean]> {
    const exchange = exchangeOf()
    const gate = gates[nth % count]
    if (gate === undefined) throw new Error('no gate')
    const begunMs = clock.nowUs() / 1000
    let over = false
    const outcome = Promise.resolve(handleRequest(gate, exchange)).finally(() => {
      over = true
    })
    for (;;) {
      for (let turn = 0; turn < 20; turn++) await undefined
      if (over) break
      await clock.advance(100)
    }
    const { refusal } = await outcome
    return [clock.nowUs() / 1000 - begunMs, exchange.raw.getHeaderNames().length, refusal !== null]
  }
  return { clock, go, startMs, store, gates }
}

async function delaysOf(
  options: AnyOptions<object>,
  requests: number,
  count = 1,
): Promise<readonly number[]> {
  const { go } = processes(options, count)
  const delays: number[] = []
  for (let nth = 0; nth < requests; nth++) {
    const [ms, fields, refused] = await go(nth)
    expect([fields, refused]).toEqual([0, false])
    delays.push(ms)
  }
  return delays
}

describe('slowDown', () => {
  it('tells observers that what is beyond the limit is refused, although it passes', async () => {
    const heard: boolean[] = []
    const observers = [{ decided: ({ allowed }: { allowed: boolean }) => void heard.push(allowed) }]
    await delaysOf({ slowDown: { delayAfter: 2, delayMs: 500 }, observers }, 8)
    expect(heard).toEqual([true, true, true, true, true, true, false, false])
  })

  // biome-ignore format: a table
  it.each<[string, AnyOptions<object>, number[]]>([
    ['grows by delayMs for each unit after delayAfter, and beyond the limit no more',
      { slowDown: { delayAfter: 2, delayMs: 500 } },                                   [0, 0, 500, 1000, 1500, 2000, 2500, 2500]],
    ['is never longer than maxDelayMs',
      { slowDown: { delayAfter: 0, delayMs: 500, maxDelayMs: 1200 } },                 [500, 1000, 1200, 1200]],
    ['is what a function says of the units used',
      { slowDown: { delayAfter: 1, delayMs: (used) => used * used * 100 } },           [0, 400, 900]],
    ['is maxDelayMs where a function answers no number, and nothing where it answers less than that',
      { slowDown: { delayAfter: 0, delayMs: (used) => [NaN, Infinity, -5][used - 1] ?? 0, maxDelayMs: 1200 } }, [1200, 1200, 0]],
    ['is for as many at once as maxSleepers says, and not in all',
      { maxSleepers: 1, slowDown: { delayAfter: 0, delayMs: 500 } },                   [500, 1000, 1500]],
    ['counts units',
      { cost: 2, slowDown: { delayAfter: 2, delayMs: 100 } },                          [0, 200, 400]],
    ['is over any strategy',
      { policy: gcra({ count: 3, period: '1h' }), slowDown: { delayAfter: 1, delayMs: 100 } }, [0, 100, 200, 300]],
  ])('%s', async (_title, options, expected) => {
    expect(await delaysOf(options, expected.length)).toEqual(expected)
  })

  it('is exact where several processes count on one store', async () => {
    expect(await delaysOf({ slowDown: { delayAfter: 2, delayMs: 500 } }, 6, 3)).toEqual([
      0, 0, 500, 1000, 1500, 2000,
    ])
  })

  it('ends with the window', async () => {
    const { go, clock } = processes({ slowDown: { delayAfter: 1, delayMs: 500 } })
    expect([await go(0), await go(1)].map(([ms]) => ms)).toEqual([0, 500])
    await clock.advance(15 * 60_000)
    expect((await go(2))[0]).toBe(0)
  })

  it('a request that meets it twice, by a router that is mounted twice, is counted and delayed once', async () => {
    const { clock, gates, go } = processes({ slowDown: { delayAfter: 0, delayMs: 500 } })
    const [gate] = gates
    if (gate === undefined) throw new Error('no gate')
    const exchange = exchangeOf()
    let over = 0
    for (const delayMs of [500, 0]) {
      void Promise.resolve(handleRequest(gate, exchange)).then(() => over++)
      for (let turn = 0; turn < 20; turn++) await undefined
      await clock.advance(delayMs)
    }
    expect(over).toBe(2)
    expect((await go(0))[0]).toBe(1000)
  })

  it('a client that hangs up while it waits: no route runs, and nothing of it stays', async () => {
    const { gates, go } = processes({ slowDown: { delayAfter: 0, delayMs: 500 } })
    const [gate] = gates
    if (gate === undefined) throw new Error('no gate')
    const exchange = exchangeOf()
    const outcome = Promise.resolve(handleRequest(gate, exchange))
    for (let turn = 0; turn < 20; turn++) await undefined
    exchange.raw.destroy()
    exchange.raw.emit('close')
    expect((await outcome).refusal?.status).toBe(499)
    expect((await go(0))[0]).toBe(1000)
  })

  it('who is on a deny list, or blocked, is refused', async () => {
    const { store, go } = processes({ slowDown: { delayAfter: 0, delayMs: 500 } })
    const limiter = createLimiter({ name: 'slow', store, policy })
    await limiter.block('192.0.2.1', '1m')
    expect((await go(0))[2]).toBe(true)
  })

  it('who is on a deny list of its own, or banned, is refused', async () => {
    const slowDown = { delayAfter: 1, delayMs: 500 }
    const listed = processes({ slowDown, denyList: ['192.0.2.1'] })
    expect((await listed.go(0))[2]).toBe(true)
    const once = fixedWindow({ limit: 1, window: '1s', blockFor: { first: '1m', banAfter: 1, banFor: '1h' } })
    const { go, clock, store } = processes({ slowDown, policy: once })
    for (let block = 0; block < 2; block++) {
      for (let nth = 0; nth < 2; nth++) await go(0)
      await clock.advance('1m')
    }
    const limiter = createLimiter({ name: 'slow', store, policy: once })
    expect((await limiter.inspect('192.0.2.1')).default?.banned).toBe(true)
    expect((await go(0))[2]).toBe(true)
  })

  /** What decides and cannot make anybody wait. */
  const unable = { name: 'mine', check: () => Promise.reject(new Error('is not asked')) }

  it.each<[string, AnyOptions<object>]>([
    ['slowDown', { policy, slowDown: 5 as never }],
    ['slowDown.delayAfter', { policy, slowDown: { delayMs: 500 } as never }],
    [
      'slowDown.delayAfter',
      { policy: fixedWindow({ limit: 5, window: '1m' }), slowDown: { delayAfter: 6, delayMs: 500 } },
    ],
    ['slowDown.delayMs', { policy, slowDown: { delayAfter: 5, delayMs: -1 } }],
    ['slowDown.maxDelayMs', { policy, slowDown: { delayAfter: 5, delayMs: 1, maxDelayMs: 0 } }],
    ['slowDown.delayafter', { policy, slowDown: { delayAfter: 5, delayMs: 1, delayafter: 5 } as never }],
    ['slowDown', { limiter: unable, slowDown: { delayAfter: 5, delayMs: 1 } }],
    ['headers', { policy, headers: {}, slowDown: { delayAfter: 5, delayMs: 1 } }],
    ['settle', { policy, settle: () => 0, slowDown: { delayAfter: 5, delayMs: 1 } }],
    ['slowDown', { policy: concurrency({ limit: 2 }), slowDown: { delayAfter: 5, delayMs: 1 } }],
  ])('a wrong option is an error at the start: %s', (path, options) => {
    expect(() => createGate(options)).toThrow(new RegExp(`^${path.replace('.', '\\.')}: `))
  })

  // biome-ignore format: a table
  it.each<[string, AnyOptions<object>]>([
    ['as many units as the limit', { policy: fixedWindow({ limit: 5, window: '1m' }), slowDown: { delayAfter: 5, delayMs: 500 } }],
    ['more than one of the limits', { policies: { a: fixedWindow({ limit: 5, window: '1m' }), b: fixedWindow({ limit: 9, window: '1m' }) }, slowDown: { delayAfter: 6, delayMs: 500 } }],
    ['more than is known of plans', { policy: () => fixedWindow({ limit: 5, window: '1m' }), slowDown: { delayAfter: 6, delayMs: 500 } }],
  ])('may come after %s', (_title, options) => {
    expect(() => createGate(options)).not.toThrow()
  })
})
