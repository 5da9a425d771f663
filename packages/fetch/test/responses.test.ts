import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { concurrency, createLimiter, fixedWindow, type Observer } from '@sluice/core'
import { decisionOf, fieldsOf, rateLimit } from '../src/index.ts'

const policy = fixedWindow({ limit: 5, window: '10s' })
const ip = () => '192.0.2.1'
const remaining = 'x-ratelimit-remaining'

const zoo = (init?: RequestInit) => new Request('http://zoo/tickets', init)

/** A limiter of one place, and how many of it are free. */
function place() {
  const limiter = createLimiter({ policy: concurrency({ limit: 1 }), name: 'places' })
  const limit = rateLimit({ limiter, ip, key: () => 'bob' })
  const free = async () => (await limiter.peek('bob')).remaining
  return { limit, free }
}

/** Endings that are settled, each after the next. */
function settled() {
  const endings: { status: number; aborted: boolean }[] = []
  const limit = rateLimit({ policy, ip, settle: (_, ended) => void endings.push(ended) })
  return { endings, limit }
}

describe('what comes back', () => {
  const kinds: { readonly [kind: string]: () => Response } = {
    text: () => new Response('hello'),
    json: () => Response.json({ hello: 'zoo' }),
    empty: () => new Response(null, { status: 204 }),
    'not modified': () => new Response(null, { status: 304 }),
    redirect: () => Response.redirect('http://zoo/elsewhere', 303),
  }
  it.each(Object.entries(kinds))('%s: the fields beside its own, and its body', async (_, make) => {
    const plain = make()
    const response = await rateLimit({ policy, ip })(make)(zoo())
    expect([response.status, response.headers.get(remaining)]).toEqual([plain.status, '4'])
    for (const [name, value] of plain.headers) expect(response.headers.get(name)).toBe(value)
    expect(await response.text()).toBe(await plain.text())
  })

  it('Response.error() and an answer to an upgrade pass as they are', async () => {
    const error = Response.error()
    expect(await rateLimit({ policy, ip })(() => error)(zoo())).toBe(error)
  })

  it('a field that the handler has set itself stays', async () => {
    const own = () => new Response('hello', { headers: { 'X-RateLimit-Remaining': 'many' } })
    const { headers } = await rateLimit({ policy, ip })(own)(zoo())
    expect([headers.get(remaining), headers.get('x-ratelimit-limit')]).toEqual(['many', '5'])
  })

  it('a response whose headers can be changed is not copied', async () => {
    const response = new Response('hello')
    expect(await rateLimit({ policy, ip })(() => response)(zoo())).toBe(response)
  })

  it('one response for many requests: each has its own numbers', async () => {
    const shared = new Response(null, { status: 204, headers: { 'Retry-After': '7' } })
    const limited = rateLimit({ policy, ip })(() => shared)
    const responses = [await limited(zoo()), await limited(zoo()), await limited(zoo())]
    expect(responses.map(({ headers }) => [headers.get(remaining), headers.get('retry-after')])).toEqual([
      ['4', '7'],
      ['3', '7'],
      ['2', '7'],
    ])
  })

  it('a body that was read before is handed on, and its place is free', async () => {
    const { limit, free } = place()
    const used = new Response('once')
    await used.text()
    expect(await limit(() => used)(zoo())).toBe(used)
    expect(await free()).toBe(1)
  })

  it.each([[null], [undefined], [{ hello: 'zoo' }], ['hello'], [[]]])(
    'a handler that returns %p: a TypeError',
    async (value) => {
      const limited = rateLimit({ policy, ip })((() => value) as unknown as () => Response)
      await expect(limited(zoo())).rejects.toMatchObject({
        name: 'TypeError',
        code: 'SLUICE_NO_RESPONSE',
        message: expect.stringMatching(/must return a Response, got .*: return new Response/),
      })
    },
  )

  it('a refusal with a status that has no body', async () => {
    const onRefused = () => ({ status: 204, type: 'text/plain', body: 'none' })
    const limited = rateLimit({ policy: fixedWindow({ limit: 1, window: '10s' }), ip, onRefused })(
      () => new Response('hello'),
    )
    await limited(zoo())
    const refused = await limited(zoo())
    expect([refused.status, await refused.text(), refused.headers.get('retry-after')]).toEqual([
      204,
      '',
      '10',
    ])
  })

  it('what is thrown brings the fields, and so does the request', async () => {
    const request = zoo()
    const failing = rateLimit({ policy, ip })(() => {
      throw new Error('broken')
    })
    const fields = { 'x-ratelimit-limit': '5', [remaining]: '4', 'x-ratelimit-reset': '10' }
    await expect(failing(request)).rejects.toMatchObject({ message: 'broken', headers: fields })
    expect(fieldsOf(request)).toEqual(fields)
    expect(decisionOf(request)?.remaining).toBe(4)
  })
})

describe('the end of a response', () => {
  it('a stream keeps its place until it was read to its end', async () => {
    const { limit, free } = place()
    const response = await limit(() => new Response('hello'))(zoo())
    expect(await free()).toBe(0)
    expect(await response.text()).toBe('hello')
    expect(await free()).toBe(1)
  })

  it('a body that is cancelled frees it, and the handler hears of that', async () => {
    const { limit, free } = place()
    const reasons: unknown[] = []
    const body = new ReadableStream({ cancel: (reason) => void reasons.push(reason) })
    const response = await limit(() => new Response(body))(zoo())
    await response.body?.cancel('enough')
    expect([await free(), reasons]).toEqual([1, ['enough']])
  })

  it('a body that fails frees it, and was aborted', async () => {
    const { limit, free } = place()
    const { limit: settling, endings } = settled()
    const body = new ReadableStream({ pull: () => Promise.reject(new Error('broken')) })
    const response = await settling(limit(() => new Response(body)))(zoo())
    await expect(response.text()).rejects.toThrow('broken')
    expect([await free(), endings]).toEqual([1, [{ status: 200, aborted: true }]])
  })

  it('a handler that throws frees it at once, with the status that platforms answer', async () => {
    const { limit, free } = place()
    const { limit: settling, endings } = settled()
    const failing = settling(limit(() => Promise.reject(new Error('broken'))))
    await expect(failing(zoo())).rejects.toThrow('broken')
    expect([await free(), endings]).toEqual([1, [{ status: 500, aborted: false }]])
  })

  it('a client that goes after the head: the status that was sent, and aborted', async () => {
    const { limit, endings } = settled()
    const client = new AbortController()
    const body = new ReadableStream({ pull: () => new Promise(() => {}) })
    await limit(() => new Response(body, { status: 206 }))(zoo({ signal: client.signal }))
    await setImmediate()
    expect(endings).toEqual([])
    client.abort()
    await setImmediate()
    expect(endings).toEqual([{ status: 206, aborted: true }])
  })

  it('an answer to HEAD has no body that anybody reads', async () => {
    const { limit, free } = place()
    await limit(() => new Response('hello'))(zoo({ method: 'HEAD' }))
    expect(await free()).toBe(1)
  })

  it('nobody waits for the end: the body is handed on as it is', async () => {
    const response = new Response('hello')
    const { body } = response
    expect((await rateLimit({ policy, ip })(() => response)(zoo())).body).toBe(body)
  })

  it('what a platform does after the end is no news', async () => {
    const { limit, endings } = settled()
    const client = new AbortController()
    const response = await limit(() => new Response('hello'))(zoo({ signal: client.signal }))
    await response.text()
    client.abort()
    await setImmediate()
    expect(endings).toEqual([{ status: 200, aborted: false }])
  })
})

describe('one request, several limiters', () => {
  it('one behind the other as one within the other: fields, places and endings of both', async () => {
    const { limit: settling, endings } = settled()
    const { limit: holding, free } = place()
    const first = settling(() => new Response('first'))
    const second = holding(() => new Response('second'))
    const request = zoo()
    await first(request)
    await setImmediate()
    expect(endings).toEqual([])
    const response = await second(request)
    expect([endings, await free()]).toEqual([[{ status: 200, aborted: false }], 0])
    expect(await response.text()).toBe('second')
    expect([response.headers.get('x-ratelimit-limit'), await free()]).toEqual(['1', 1])
  })

  it('a frozen request is limited as any other: one limiter counts it once, however often it stands there', async () => {
    const { limit, free } = place()
    const response = await limit(limit(() => new Response('hello')))(Object.freeze(zoo()))
    expect([response.status, response.headers.get(remaining), await free()]).toEqual([200, '0', 0])
    await response.text()
    expect(await free()).toBe(1)
  })

  it('the body of an earlier answer tells nothing of a later one', async () => {
    const { limit: settling } = settled()
    const { limit: holding, free } = place()
    const request = zoo()
    const first = await settling(() => new Response('first'))(request)
    const second = await holding(() => new Response('second'))(request)
    await first.text()
    expect(await free()).toBe(0)
    await second.text()
    expect(await free()).toBe(1)
  })

  it('the outermost writes the fields of all', async () => {
    const outer = rateLimit({ policy, ip, name: 'outer', headers: { draft: true } })
    const inner = rateLimit({ policy, ip, name: 'inner', headers: { draft: true } })
    const seen: boolean[] = []
    const limited = outer(async (request) => {
      const response = await inner(() => new Response('hello'))(request)
      seen.push(response.headers.has('ratelimit'))
      return response
    })
    const response = await limited(zoo())
    expect(response.headers.get('ratelimit')).toBe('"outer";r=4;t=10, "inner";r=4;t=10')
    expect(seen).toEqual([false])
  })
})

describe('who asks', () => {
  const reads = fixedWindow({ limit: 5, window: '10s' })

  it('a request that is aborted already and has no address: 499, nothing is counted, no handler runs', async () => {
    let ran = 0
    const decided: string[] = []
    const observers: Observer[] = [{ decided: ({ key }) => void decided.push(String(key)) }]
    const limited = rateLimit({ policy, ip: () => undefined, observers })(() => {
      ran++
      return new Response('hello')
    })
    const response = await limited(zoo({ signal: AbortSignal.abort() }))
    expect([response.status, await response.text(), ran, decided]).toEqual([499, '', 0, []])
  })

  it('one whose address is known is counted, and its handler sees that its client has gone', async () => {
    const limit = rateLimit({ policy, ip })
    const limited = limit((request) => new Response(String(limit.decisionFor(request)?.signal.aborted)))
    const response = await limited(zoo({ signal: AbortSignal.abort() }))
    expect([await response.text(), response.headers.get(remaining)]).toEqual(['true', '4'])
  })

  // biome-ignore format: a table
  const rows = [
    // proxies  X-Forwarded-For                    counted as
    [0,         '198.51.100.7',                    '192.0.2.1'],
    [1,         undefined,                         '192.0.2.1'],
    [1,         '198.51.100.7',                    '198.51.100.7'],
    [1,         '10.0.0.1, 198.51.100.7',          '198.51.100.7'],
    [2,         '10.0.0.1, 198.51.100.7, 10.1.1.1', '198.51.100.7'],
    [2,         '198.51.100.7',                    '198.51.100.7'],
    [3,         '198.51.100.7,,',                  '198.51.100.7'],
    [1,         '198.51.100.7,',                   '192.0.2.1'],
    [1,         ',',                               '192.0.2.1'],
    [9,         ',,',                              '192.0.2.1'],
    [1,         'nonsense',                        '192.0.2.1'],
  ] as const
  it.each(rows)('behind %p proxies X-Forwarded-For %p: %p', async (proxies, forwarded, address) => {
    const logger = { warn: () => {}, error: () => {} }
    const limit = rateLimit({ policy: reads, ip, proxies, logger })
    const headers = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded }
    expect(await limit.keyOf(zoo({ headers }))).toBe(address)
  })

  it('a field of any name: what was sent, or undefined', async () => {
    const names = ['constructor', '__proto__', 'X-Key', 'toString', 'no name']
    const limit = rateLimit({ policy, ip, key: (_, view) => names.map((name) => view.header(name) ?? '-') })
    const headers = { 'x-key': 'bob', 'set-cookie': 'a=b' }
    expect(await limit.keyOf(zoo({ headers }))).toEqual(['-', '-', 'bob', '-', '-'])
  })

  it('keyOf takes what the platform hands over besides the request', async () => {
    const limit = rateLimit({ policy, ip: (_, peer: { readonly address: string }) => peer.address })
    expect(await limit.keyOf(zoo(), { address: '198.51.100.9' })).toBe('198.51.100.9')
  })
})

describe('options', () => {
  it.each([
    [
      { policy },
      'ip: expected a function that finds the address of a request; with () => undefined and proxies: 1 it is what one proxy in front says, got undefined',
    ],
    [{ policy, ip: '192.0.2.1' }, 'ip: expected a function'],
    [{ policy, ip, proxies: -1 }, 'proxies: expected a whole number'],
    [{ policy, ip, proxies: '1' }, 'proxies: expected a whole number'],
    [{ policy, ip, proxy: 1 }, 'proxy'],
    [{ ip }, 'policy'],
    [undefined, 'options'],
  ])('%p is refused', (options, message) => {
    expect(() => rateLimit(options as never)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', message: expect.stringContaining(message) }),
    )
  })

  it.each([[undefined], [null], ['http://zoo/']])('a call with %p for a request', async (request) => {
    const handler = rateLimit({ policy, ip })(() => new Response('hello'))
    await expect(handler(request as never)).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'request' })
  })

  it('a handler that is none', () => {
    expect(() => rateLimit({ policy, ip })(undefined as never)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'handler' }),
    )
  })
})
