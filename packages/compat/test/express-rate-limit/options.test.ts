import { connect } from 'node:net'
import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { type RateLimitOptions, rateLimit } from '../../src/express-rate-limit/index.ts'
import { fakeDate } from '../fake-date.ts'
import { log, type Site, siteWith, statuses, untilUsed } from './site.ts'

let site: Site | undefined

afterEach(async () => {
  jest.useRealTimers()
  await site?.close()
  site = undefined
})

async function limited(options: RateLimitOptions): Promise<Site> {
  site = await siteWith(rateLimit({ logger: log(), ...options }))
  return site
}

describe('how many pass', () => {
  it('is five in a minute by default', async () => {
    const here = await limited({})
    expect(await statuses(here, 6)).toEqual([200, 200, 200, 200, 200, 429])
    const { text } = await here.get()
    expect(text).toBe('Too many requests, please try again later.')
  })

  it.each<[string, RateLimitOptions]>([
    ['limit', { limit: 2 }],
    ['max', { max: 2 }],
    ['a function', { limit: () => 2 }],
    ['a promise', { limit: async () => 2 }],
    ['a fraction, which is cut', { limit: 2.9 }],
  ])('is what limit says: %s', async (_name, options) => {
    expect(await statuses(await limited(options), 4)).toEqual([200, 200, 429, 429])
  })

  it('is none with a limit of 0', async () => {
    const here = await limited({ limit: 0 })
    expect(await statuses(here, 2)).toEqual([429, 429])
    expect(here.seen).toMatchObject([{ limit: 0, used: 1, remaining: 0 }, { used: 2 }])
  })

  it('is all that come with no bound', async () => {
    expect(await statuses(await limited({ limit: Number.POSITIVE_INFINITY }), 7)).toEqual(Array(7).fill(200))
  })

  it('begins anew with each window', async () => {
    fakeDate()
    const here = await limited({ limit: 1, windowMs: 100 })
    expect(await statuses(here, 2)).toEqual([200, 429])
    jest.setSystemTime(Date.now() + 99)
    expect(await statuses(here, 1)).toEqual([429])
    jest.setSystemTime(Date.now() + 1)
    expect(await statuses(here, 2)).toEqual([200, 429])
  })

  it('follows a limit that changes from request to request', async () => {
    let limit = 1
    const here = await limited({ limit: () => limit })
    expect(await statuses(here, 2)).toEqual([200, 429])
    limit = 3
    expect(await statuses(here, 3)).toEqual([200, 200, 429])
  })
})

describe('what a request carries', () => {
  it('is the limit, what is used and what remains, with refused hits counted on', async () => {
    fakeDate()
    const here = await limited({ limit: 2, windowMs: 60_000 })
    await statuses(here, 4)
    const rest = { limit: 2, key: '127.0.0.1', resetTime: new Date(Date.now() + 60_000) }
    expect(here.seen).toEqual([
      { ...rest, used: 1, remaining: 1 },
      { ...rest, used: 2, remaining: 0 },
      { ...rest, used: 3, remaining: 0 },
      { ...rest, used: 4, remaining: 0 },
    ])
    expect(Reflect.get(here.seen[3] ?? {}, 'current')).toBe(4)
  })

  it('is named by requestPropertyName', async () => {
    const names: string[] = []
    site = await siteWith(rateLimit({ requestPropertyName: 'quota' }), (request, _response, next) => {
      names.push(...Object.keys(request).filter((name) => ['quota', 'rateLimit'].includes(name)))
      next()
    })
    await site.get()
    expect(names).toEqual(['quota'])
  })

  it('counts the first hit beyond the limit once in a window, also where all come at once', async () => {
    const first: number[] = []
    const here = await limited({
      limit: 3,
      handler: (request, response, _next, { statusCode, limit }) => {
        const used: number = Reflect.get(Object(request), 'rateLimit').used
        if (used === Number(limit) + 1) first.push(used)
        response.sendStatus(statusCode)
      },
    })
    const all = await Promise.all(Array.from({ length: 20 }, () => here.get()))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(first).toEqual([4])
  })
})

describe('a refusal', () => {
  it.each<[string, RateLimitOptions, number, string]>([
    ['has the text of message', { message: 'Later.' }, 429, 'Later.'],
    ['has the JSON of message', { message: { error: 'later' } }, 429, '{"error":"later"}'],
    ['asks a message', { message: () => 'asked' }, 429, 'asked'],
    ['awaits a message', { message: async () => 'awaited' }, 429, 'awaited'],
    ['has the status', { statusCode: 420, message: 'calm' }, 420, 'calm'],
    [
      'is left to handler',
      { handler: (_request, response) => response.status(503).send('handled') },
      503,
      'handled',
    ],
    ['may go on', { handler: (_request, _response, next) => next() }, 200, 'hello'],
  ])('%s', async (_name, options, status, text) => {
    const here = await limited({ limit: 1, ...options })
    await here.get()
    expect(await here.get()).toMatchObject({ status, text })
  })

  it('hands its options to handler', async () => {
    let used: unknown
    const here = await limited({
      limit: 0,
      windowMs: 1000,
      handler: (_request, response, _next, options) => {
        used = options
        response.end()
      },
    })
    await here.get()
    expect(used).toMatchObject({ limit: 0, windowMs: 1000, statusCode: 429, standardHeaders: false })
  })
})

it('windowMs is milliseconds, so a small one is meant', async () => {
  const logger = log()
  expect(await statuses(await limited({ limit: 2, windowMs: 900, logger }), 1)).toEqual([200])
  expect(logger.lines).toEqual([])
})

describe('who is counted', () => {
  it('is the key', async () => {
    const here = await limited({ limit: 1, keyGenerator: (request) => String(request.query.user) })
    const all = ['/?user=a', '/?user=b', '/?user=a'].map((path) => here.get(path))
    expect((await Promise.all(all)).map(({ status }) => status).sort()).toEqual([200, 200, 429])
  })

  it.each([undefined, null, '', {}, [], Number.NaN, true])(
    'is the address where the key is %p, and it is said once',
    async (answer) => {
      const logger = log()
      const here = await limited({ limit: 1, logger, keyGenerator: () => answer as string })
      expect(await statuses(here, 3)).toEqual([200, 429, 429])
      expect(here.seen).toMatchObject([{ key: '127.0.0.1' }, {}, {}])
      expect(logger.lines).toEqual(['SLUICE_KEY_NOT_USABLE'])
    },
  )

  it('is the network of an IPv6 address', async () => {
    const here = await limited({ limit: 1 })
    here.app.set('trust proxy', 1)
    const from = async (address: string) => (await here.get('/', { 'x-forwarded-for': address })).status
    expect(await from('2001:db8:1:200::1')).toBe(200)
    expect(await from('2001:db8:1:2ff::2')).toBe(429)
    expect(await from('2001:db8:1:300::1')).toBe(200)
    expect(await from('::ffff:192.0.2.7')).toBe(200)
    expect(await from('192.0.2.7')).toBe(429)
    expect(here.seen.map((info) => (info as { key: string }).key)).toEqual([
      '2001:db8:1:200::/56',
      '2001:db8:1:200::/56',
      '2001:db8:1:300::/56',
      '192.0.2.7',
      '192.0.2.7',
    ])
  })

  it.each<[RateLimitOptions['ipv6Subnet'], string]>([
    [48, '2001:db8:1::/48'],
    [() => 64, '2001:db8:1:2ff::/64'],
    [async () => 60, '2001:db8:1:2f0::/60'],
    [false, '2001:db8:1:2ff::2'],
  ])('is cut to ipv6Subnet %p', async (ipv6Subnet, key) => {
    const here = await limited({ ipv6Subnet })
    here.app.set('trust proxy', 1)
    await here.get('/', { 'x-forwarded-for': '2001:db8:1:2ff::2' })
    expect(here.seen).toMatchObject([{ key }])
  })

  it('is the address without the port that some proxies put behind it', async () => {
    const here = await limited({ limit: 1 })
    here.app.set('trust proxy', 1)
    const from = async (address: string) => (await here.get('/', { 'x-forwarded-for': address })).status
    expect([await from('192.0.2.1:4711'), await from('192.0.2.1:4712')]).toEqual([200, 429])
  })

  it('is nobody whom skip names', async () => {
    const here = await limited({ limit: 1, skip: async (request) => request.query.free === '1' })
    expect(await statuses(here, 3, '/?free=1')).toEqual([200, 200, 200])
    expect(await statuses(here, 2)).toEqual([200, 429])
    expect(here.seen[0]).toBeUndefined()
  })
})

describe('hits that are given back', () => {
  it('are those of successes with skipSuccessfulRequests', async () => {
    const here = await limited({ limit: 1, skipSuccessfulRequests: true })
    expect(await statuses(here, 3)).toEqual([200, 200, 200])
    expect(await statuses(here, 1, '/fail')).toEqual([400])
    expect(await statuses(here, 2)).toEqual([429, 429])
  })

  it('are those of failures with skipFailedRequests, and a refusal frees nothing', async () => {
    const here = await limited({ limit: 1, skipFailedRequests: true })
    expect(await statuses(here, 3, '/fail')).toEqual([400, 400, 400])
    expect(await statuses(here, 4)).toEqual([200, 429, 429, 429])
    expect(here.seen.map((info) => (info as { used: number }).used)).toEqual([1, 1, 1, 1, 2, 2, 2])
  })

  it('are as requestWasSuccessful says', async () => {
    const here = await limited({
      limit: 1,
      skipSuccessfulRequests: true,
      requestWasSuccessful: async (request) => request.query.ok === '1',
    })
    expect(await statuses(here, 2, '/?ok=1')).toEqual([200, 200])
    expect(await statuses(here, 2, '/?ok=0')).toEqual([200, 429])
  })

  it('are those of clients that hang up, with skipFailedRequests', async () => {
    const limiter = rateLimit({ limit: 1, skipFailedRequests: true })
    site = await siteWith(limiter)
    const arrived = new Promise<void>((resolve) => {
      site?.app.get('/hang', () => resolve())
    })
    // Behind the handler of errors, which is no concern here.
    const away = new AbortController()
    const asked = fetch(`${site.url}/hang`, { signal: away.signal }).catch(() => {})
    await arrived
    expect(await limiter.getKey('127.0.0.1')).toMatchObject({ totalHits: 1 })
    away.abort()
    await asked
    // When a server sees that a client has hung up is up to the system: no clock can be moved to it.
    while ((await limiter.getKey('127.0.0.1')) !== undefined)
      await new Promise((resolve) => setTimeout(resolve, 5))
  })

  it('are noted by one listener, however many limiters give back', async () => {
    const ofSome = async (limiters: number) => {
      const all = Array.from({ length: limiters }, () =>
        rateLimit({ skipFailedRequests: true, logger: log() }),
      )
      site = await siteWith(...all)
      let counts: unknown
      site.app.get('/listeners', (_request, response) => {
        counts = response.eventNames().map((name) => [name, response.listenerCount(name)])
        response.sendStatus(400)
      })
      await site.get('/listeners')
      for (const each of all) await untilUsed(each, 0)
      await site.close()
      return counts
    }
    expect(await ofSome(12)).toEqual(await ofSome(1))
  })

  it.each(['answered', 'at work'])(
    'are those of clients that hang up behind another request, %s',
    async (state) => {
      const limiter = rateLimit({ limit: 10, skipFailedRequests: true })
      site = await siteWith(limiter)
      let asked = 0
      site.app.get('/hang', () => {})
      site.app.get('/counted', (_request, response) => {
        asked++
        if (state === 'answered') response.send('queued')
      })
      const socket = connect(Number(new URL(site.url).port), '127.0.0.1')
      socket.on('error', () => {})
      const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: shop\r\n\r\n`
      socket.write(get('/hang') + get('/counted').repeat(3))
      while (asked < 3) await new Promise((resolve) => setImmediate(resolve))
      expect(await limiter.getKey('127.0.0.1')).toMatchObject({ totalHits: 4 })
      socket.destroy()
      await untilUsed(limiter, 0)
    },
  )
})

describe('resetKey and getKey', () => {
  it('forget and report what a key has used, with refused hits', async () => {
    const limiter = rateLimit({ limit: 2 })
    site = await siteWith(limiter)
    expect(await limiter.getKey('127.0.0.1')).toBeUndefined()
    await statuses(site, 3)
    expect(await limiter.getKey('127.0.0.1')).toEqual({ totalHits: 3, resetTime: expect.any(Date) })
    await limiter.resetKey('127.0.0.1')
    expect(await limiter.getKey('127.0.0.1')).toBeUndefined()
    expect(await statuses(site, 3)).toEqual([200, 200, 429])
  })

  it('take request.ip, also where the key is its network', async () => {
    const limiter = rateLimit({ limit: 1 })
    site = await siteWith(limiter)
    site.app.set('trust proxy', 1)
    await site.get('/', { 'x-forwarded-for': '2001:db8::1' })
    expect(await limiter.getKey('2001:db8::1')).toMatchObject({ totalHits: 1 })
    await limiter.resetKey('2001:db8::1')
    expect(await limiter.getKey('2001:db8::/56')).toBeUndefined()
  })
})

describe('options that cannot be', () => {
  it.each<[RateLimitOptions, string]>([
    [{ limit: '10' as unknown as number }, 'limit: expected a number of at least 0'],
    [{ limit: -1 }, 'limit: expected a number of at least 0'],
    [{ limit: Number.NaN }, 'limit: expected a number of at least 0'],
    [{ windowMs: '15m' as unknown as number }, 'windowMs: expected a number of milliseconds'],
    [{ windowMs: 0 }, 'windowMs: expected a positive duration'],
    [{ windowMs: 0.5 }, 'windowMs: expected a positive duration'],
    [{ windowMs: 400 * 86_400_000 }, 'windowMs: expected a positive duration'],
    [{ retryAfter: '5' as unknown as number }, 'retryAfter: expected a number of seconds'],
    [{ statusCode: 42 }, 'statusCode: expected a whole number from 100 to 999'],
    [{ handler: 'later' as unknown as () => void }, 'handler: expected a function'],
    [{ skip: true as unknown as () => boolean }, 'skip: expected a function'],
    [{ store: {} as never }, 'store: expected a store'],
    [{ logger: { error: 'none' } as never }, 'logger: expected an object with the functions error and warn'],
  ])('%p', (options, message) => {
    expect(() => rateLimit({ validate: false, ...options })).toThrow(message)
  })

  it('is an error where limit answers no number, and no request passes', async () => {
    const here = await limited({ limit: (() => undefined) as unknown as () => number })
    expect(await statuses(here, 1)).toEqual([500])
    expect(here.errors).toEqual([expect.stringContaining('limit: expected a number')])
  })

  it('counts a window that is no whole number of microseconds', async () => {
    expect(await statuses(await limited({ limit: 1, windowMs: 86_400_000 / 7 }), 2)).toEqual([200, 429])
  })
})

describe('a function of the user that throws', () => {
  const fail = (): never => {
    throw new Error('mine')
  }
  const later = async () => fail()
  it.each<[string, RateLimitOptions]>([
    ['skip', { skip: fail }],
    ['skip, later', { skip: later }],
    ['keyGenerator', { keyGenerator: fail }],
    ['keyGenerator, later', { keyGenerator: later }],
    ['limit', { limit: fail }],
    ['limit, later', { limit: later }],
    ['identifier', { identifier: fail, standardHeaders: 'draft-8' }],
    ['identifier, later', { identifier: later, standardHeaders: 'draft-8' }],
    ['handler', { limit: 0, handler: fail }],
    ['handler, later', { limit: 0, handler: later }],
    ['message', { limit: 0, message: fail }],
    ['message, later', { limit: 0, message: later }],
  ])('goes to the error handler: %s', async (_name, options) => {
    const here = await limited(options)
    expect(await statuses(here, 1)).toEqual([500])
    expect(here.errors).toEqual(['mine'])
  })

  it.each([fail, later])('keeps the hit where requestWasSuccessful throws, and is logged', async (throws) => {
    const logger = log()
    const here = await limited({
      limit: 1,
      logger,
      skipSuccessfulRequests: true,
      requestWasSuccessful: throws,
    })
    expect(await statuses(here, 2)).toEqual([200, 429])
    expect(logger.lines[0]).toBe('express-rate-limit: a hit was not given back. Error: mine')
  })

  it.each([fail, later])('goes on where the logger fails, too', async (fails) => {
    let asked = 0
    const broken = () => {
      asked++
      return fails()
    }
    const here = await limited({
      limit: 1,
      logger: { error: broken, warn: broken },
      keyGenerator: () => undefined as never, // is logged
      skipSuccessfulRequests: true,
      requestWasSuccessful: fail, // is logged, when nobody waits for it any more
    })
    expect(await statuses(here, 2)).toEqual([200, 429])
    while (asked < 2) await new Promise((resolve) => setImmediate(resolve))
  })
})
