import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from '@jest/globals'
import {
  concurrency,
  createLimiter,
  type Duration,
  fixedWindow,
  gcra,
  isRefusedError,
  memoryStore,
  notApplicable,
  type Policy,
  reservable,
  tokenBucket,
} from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { limitedFetch } from '../src/index.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** Somebody's API, on a real socket; the limiter's clock is moved by hand. */
async function world(
  answer: Answer,
  policy: Policy<'reserve' | 'penalize'> = gcra({ count: 1, period: '1s' }),
) {
  const clock = manualClock()
  let reserved = 0
  const observers = [{ decided: () => reserved++ }]
  const logger = { warn() {}, error() {} }
  const limiter = createLimiter({ policy, store: memoryStore({ clock }), observers, logger })
  const startUs = clock.nowUs()
  const asked: number[] = []
  const server = createServer((request, response) => {
    asked.push((clock.nowUs() - startUs) / 1e6)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  const { port } = server.address() as AddressInfo // it listens
  const url = `http://127.0.0.1:${port}/orders`
  return { clock, limiter, asked, url, reservations: () => reserved }
}

const ok: Answer = (_, response) => response.end('ok')

/** Until what is under way on real sockets has come so far. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}

// biome-ignore format: a table
it.each<[string, Duration | undefined, readonly string[]]>([
  ['5 for seconds',   5,         [`[sluice] SLUICE_SHORT_TIME: maxPause of limiter "default" is 5 ms: for seconds write '5s'`]],
  ['5 milliseconds',  '5ms',     []],
  ['an hour, unsaid', undefined, []],
])('limitedFetch with a longest pause of %s', (_title, maxPause, warned) => {
  const said: string[] = []
  const log = (text: string) => said.push(text.replace(/ \(http.*/, ''))
  const limiter = createLimiter({ policy: gcra({ count: 1, period: '1s' }), logger: { warn: log, error: log } })
  limitedFetch(limiter, { maxPause })
  expect(said).toEqual(warned)
})

it('limitedFetch with a longest wait of 60 for seconds warns', () => {
  const said: string[] = []
  const log = (text: string) => said.push(text.replace(/ \(http.*/, ''))
  const limiter = createLimiter({
    policy: gcra({ count: 1, period: '1s' }),
    logger: { warn: log, error: log },
  })
  limitedFetch(limiter, { maxWait: 60 })
  expect(said).toEqual([
    `[sluice] SLUICE_SHORT_TIME: maxWait of limiter "default" is 60 ms: for seconds write '60s'`,
  ])
})

describe('limitedFetch', () => {
  it('asks one request after another', async () => {
    const { clock, limiter, asked, url } = await world(ok)
    const get = limitedFetch(limiter)
    const all = Promise.all([1, 2, 3].map(async () => (await get(url)).text()))
    for (const count of [1, 2]) {
      await until(() => asked.length === count)
      await clock.advance('1s')
    }
    expect(await all).toEqual(['ok', 'ok', 'ok'])
    expect(asked).toEqual([0, 1, 2])
  })

  it('leaves nothing behind in a signal that outlives its requests', async () => {
    const { limiter, url } = await world(ok, gcra({ count: 1000, period: '1s' }))
    const { signal } = new AbortController()
    const get = limitedFetch(limiter, { signal })
    for (let i = 0; i < 20; i++) await (await get(url)).text()
    // Where Node keeps the signals that follow this one: it never takes them out.
    const name = Object.getOwnPropertySymbols(signal).find(
      ({ description }) => description === 'kDependantSignals',
    )
    expect(Reflect.get(signal, name ?? '')?.size ?? 0).toBe(0)
  })

  it('pauses as the answer says, once however many answers say it, and repeats nothing', async () => {
    const policy = tokenBucket({ capacity: 20, count: 1, period: '1s' })
    const { clock, limiter, asked, url } = await world((_, response) => {
      if (asked.length > 20) response.end('ok')
      else response.writeHead(429, { 'Retry-After': '10' }).end()
    }, policy)
    const get = limitedFetch(limiter, { jitter: false })
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(url)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]))
    expect(asked).toHaveLength(20)
    const next = get(url)
    await clock.advance('10s')
    expect((await next).status).toBe(200)
    expect(asked.at(-1)).toBe(10)
  })

  it('sends those who wait for an earlier turn to the end of the pause, in their order', async () => {
    const order: (string | undefined)[] = []
    const { clock, limiter, asked, url, reservations } = await world((request, response) => {
      order.push(request.url)
      if (order.length === 1) response.writeHead(429, { 'Retry-After': '3' }).end()
      else response.end('ok')
    })
    const get = limitedFetch(limiter, { jitter: false })
    const all = Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => get(`${url}/${name}`)))
    // Six turns, and two more for those whose turn would have come within the pause.
    await until(() => reservations() === 8)
    await clock.advance('2s')
    for (const count of [2, 3, 4, 5, 6]) {
      await clock.advance('1s')
      await until(() => asked.length === count)
    }
    await all
    expect(order.map((path) => path?.at(-1))).toEqual(['a', 'd', 'e', 'f', 'b', 'c'])
    expect(asked).toEqual([0, 3, 4, 5, 6, 7])
  })

  it('sends nobody within a pause who has given an earlier turn up for it', async () => {
    const { clock, limiter, asked, url, reservations } = await world((_, response) => {
      if (asked.length === 2) response.writeHead(429, { 'Retry-After': '2' }).end()
      else response.end('ok')
    })
    const get = limitedFetch(limiter, { jitter: false })
    await get(url)
    const both = [get(url), get(url)]
    await until(() => reservations() === 3)
    await clock.advance('1s')
    await both[0]
    await until(() => reservations() === 4)
    for (let seconds = 0; seconds < 2; seconds++) await clock.advance('1s')
    await both[1]
    expect(asked).toEqual([0, 1, 3])
  })

  it('goes on with what is left of its wait where a pause takes its turn away', async () => {
    const { clock, limiter, asked, url, reservations } = await world((_, response) => {
      if (asked.length === 2) response.writeHead(429, { 'Retry-After': '2' }).end()
      else response.end('ok')
    })
    const get = limitedFetch(limiter, { maxWait: '2500ms', jitter: false })
    await get(url)
    const second = get(url)
    const third = get(url).catch((thrown: unknown) => thrown)
    await until(() => reservations() === 3)
    // The second is sent; its answer moves the turn of the third from two seconds to three, of which it had two and a half.
    await clock.advance('1s')
    expect((await second).status).toBe(429)
    expect(isRefusedError(await third)).toBe(true)
    expect(asked).toHaveLength(2)
  })

  it('gives up within its own patience', async () => {
    const { clock, limiter, url } = await world((_, response) => {
      response.writeHead(429, { 'Retry-After': '30' }).end()
    })
    const get = limitedFetch(limiter, { maxWait: '5s', jitter: false })
    await get(url)
    const error = await get(url).catch((thrown: unknown) => thrown)
    expect(isRefusedError(error)).toBe(true)
    expect(error).toMatchObject({ decision: { retryAfterMs: 25_000 } })
    await clock.advance('25s')
    const patient = get(url)
    await clock.advance('5s')
    expect((await patient).status).toBe(429)
  })

  it('blocks the key where the pause is longer than the policy can reach', async () => {
    const { limiter, url } = await world((_, response) => {
      response.writeHead(503, { 'Retry-After': '600' }).end()
    })
    const get = limitedFetch(limiter, { jitter: false, maxPause: '5m' })
    await get(url)
    expect(await limiter.peek(new URL(url).host)).toMatchObject({ reason: 'blocked', retryAfterMs: 300_000 })
  })

  it.each<[string, Policy<'reserve' | 'penalize'>]>([
    ['a rate that reaches less far', gcra({ count: 1, period: '1s' })],
    ['a window', reservable(fixedWindow({ limit: 9, window: '1s' }))],
  ])('waits until a pause of %s is over, unless its own patience ends before', async (_title, policy) => {
    let pauses = 1
    const { clock, limiter, asked, url } = await world((_, response) => {
      if (pauses-- > 0) response.writeHead(429, { 'Retry-After': '600' })
      response.end()
    }, policy)
    const patient = limitedFetch(limiter, { maxWait: '10m', jitter: false })
    const reason = new Error('enough')
    const given = new AbortController()
    await patient(url)
    const waiting = [patient(url), patient(url, { signal: given.signal })]
    const settled = Promise.allSettled(waiting)
    await new Promise((resolve) => setImmediate(resolve))
    expect(limiter.health().sleepers).toBe(2)
    await expect(limitedFetch(limiter, { maxWait: '9m' })(url)).rejects.toMatchObject({
      code: 'SLUICE_REFUSED',
    })
    given.abort(reason)
    await until(() => limiter.health().sleepers === 1)
    await clock.advance('599s')
    expect(asked).toEqual([0])
    await clock.advance('1s')
    expect(await settled).toMatchObject([{ value: { status: 200 } }, { reason }])
    expect(asked).toEqual([0, 600])

    pauses = 1
    await clock.advance('1s')
    await patient(url)
    const closed = patient(url)
    await until(() => limiter.health().sleepers === 1)
    await limiter.close()
    await expect(closed).rejects.toMatchObject({ code: 'SLUICE_CLOSED' })
  })

  it('lengthens a pause by chance unless the options say not to', async () => {
    const pauses: number[] = []
    // Half of them are not lengthened.
    for (let i = 0; i < 32; i++) {
      const { limiter, url } = await world((_, response) => {
        response.writeHead(429, { 'Retry-After': '20' }).end()
      })
      await limitedFetch(limiter)(url)
      pauses.push((await limiter.peek(new URL(url).host)).retryAfterMs ?? 0)
    }
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(20_000)
    expect(Math.max(...pauses)).toBeLessThanOrEqual(22_000)
    expect(new Set(pauses).size).toBeGreaterThan(1)
  })

  it('counts each host by itself, or by the key that is given', async () => {
    const { limiter, asked, url } = await world(ok)
    const other = await world(ok)
    const get = limitedFetch(limiter)
    await Promise.all([get(url), get(other.url)])
    expect([asked, other.asked]).toEqual([[0], [0]])
    const byPath = limitedFetch(limiter, { key: ({ pathname }) => pathname })
    await byPath(`${url}/1`)
    await byPath(`${url}/2`)
    expect(asked).toEqual([0, 0, 0])
  })

  it('lets by what its key says no limit is meant for, and refuses a key that is none', async () => {
    const { limiter, asked, url, reservations } = await world(ok)
    const free = limitedFetch(limiter, { key: () => notApplicable })
    for (let i = 0; i < 3; i++) expect(await (await free(url)).text()).toBe('ok')
    expect([asked, reservations()]).toEqual([[0, 0, 0], 0])
    for (const key of [null, undefined, '', { host: 'a' }, Symbol('a')]) {
      const refused = limitedFetch(limiter, { key: () => key as never })(url)
      await expect(refused).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'key' })
    }
    expect([asked.length, reservations()]).toEqual([3, 0])
  })

  it('reads null as an option that is wrong, not as one left out', async () => {
    const { limiter } = await world(ok)
    for (const path of ['maxPause', 'maxWait', 'signal', 'jitter'])
      expect(() => limitedFetch(limiter, { [path]: null })).toThrow(expect.objectContaining({ path }))
  })

  it('stops with the signal of the call, of the request, or its own', async () => {
    const { limiter, asked, url } = await world(ok)
    await limitedFetch(limiter)(url)
    const reason = new Error('enough')
    const controller = new AbortController()
    const waiting = [
      limitedFetch(limiter)(url, { signal: controller.signal }),
      limitedFetch(limiter)(new Request(url, { signal: controller.signal })),
      limitedFetch(limiter, { signal: controller.signal })(url),
    ]
    const settled = Promise.allSettled(waiting)
    await new Promise((resolve) => setImmediate(resolve))
    controller.abort(reason)
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(asked).toHaveLength(1)
  })

  it.each<[string, () => unknown, RegExp]>([
    ['no limiter', () => limitedFetch({} as never), /^limiter: expected a limiter of createLimiter/],
    [
      'a window',
      () => limitedFetch(createLimiter({ policy: fixedWindow({ limit: 1, window: '1s' }) }) as never),
      /^limiter: expected one whose policy can reserve, such as reservable\(fixedWindow\(\{ … \}\)\), got "fixedWindow"/,
    ],
    [
      'places in flight',
      () => limitedFetch(createLimiter({ policy: concurrency({ limit: 1 }) }) as never),
      /^limiter: expected one whose policy can reserve, such as gcra\(.*\), got "concurrency"/,
    ],
    [
      'policies by name',
      () => limitedFetch(createLimiter({ policies: { a: gcra({ count: 1, period: '1s' }) } }) as never),
      /^limiter: expected one whose policy can reserve, such as gcra\(.*\), got undefined/,
    ],
    [
      'an option that there is not',
      () => limitedFetch(createLimiter({ policy: gcra({ count: 1, period: '1s' }) }), { wait: 1 } as never),
      /^wait: expected a known option/,
    ],
    [
      'a priority, as callers reserve one after the other',
      () =>
        limitedFetch(createLimiter({ policy: gcra({ count: 1, period: '1s' }) }), { priority: 5 } as never),
      /^priority: expected a known option/,
    ],
    [
      'a pause that is none',
      () => limitedFetch(createLimiter({ policy: gcra({ count: 1, period: '1s' }) }), { maxPause: 0 }),
      /^maxPause: expected a positive duration/,
    ],
  ])('refuses %s', (_title, make, message) => {
    expect(make).toThrow(message)
  })
})
