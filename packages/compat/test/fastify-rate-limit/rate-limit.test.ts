import { describe, expect, it, jest } from '@jest/globals'
import { memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import type { FastifyInstance } from 'fastify'
import rateLimit, {
  type RateLimitOptions,
  type RateLimitPluginOptions,
} from '../../src/fastify-rate-limit/index.ts'
import { fakeDate } from '../fake-date.ts'
import { type Answer, type Get, served } from './serve.ts'

/** One route under `options`. */
function limited(options: RateLimitPluginOptions, use: (get: Get, app: FastifyInstance) => Promise<void>) {
  const build = async (app: FastifyInstance) => {
    await app.register(rateLimit, options)
    app.get('/', async () => 'hello')
  }
  return served(build, use)
}

/** One route with options of its own. */
function routed(
  own: RateLimitOptions | false,
  use: (get: Get) => Promise<void>,
  plugin: RateLimitPluginOptions = {},
) {
  const build = async (app: FastifyInstance) => {
    await app.register(rateLimit, { max: 5, ...plugin })
    app.get('/', { config: { rateLimit: own } }, async () => 'hello')
  }
  return served(build, use)
}

const from = (address: string) => ({ 'x-forwarded-for': address })
const statuses = async (get: Get, times: number, path?: string) => {
  const found: number[] = []
  for (let i = 0; i < times; i++) found.push((await get(path)).status)
  return found
}
const field = (name: string) => (answer: Answer) => answer.headers.get(name)

describe('all routes', () => {
  it('say on each answer what is left, and refuse what is too many', async () => {
    const clock = manualClock()
    await limited({ max: 2, timeWindow: '1 minute', store: memoryStore({ clock }) }, async (get) => {
      const answers = [await get(), await get(), await get()]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
      expect(answers.map(field('x-ratelimit-limit'))).toEqual(['2', '2', '2'])
      expect(answers.map(field('x-ratelimit-remaining'))).toEqual(['1', '0', '0'])
      expect(answers.map(field('x-ratelimit-reset'))).toEqual(['60', '60', '60'])
      expect(answers.map(field('retry-after'))).toEqual([null, null, '60'])
      expect(JSON.parse(answers[2]?.body ?? '')).toEqual({
        statusCode: 429,
        error: 'Too Many Requests',
        message: 'Rate limit exceeded, retry in 1 minute',
      })
    })
  })

  it('open at the stated instant, and not earlier', async () => {
    const clock = manualClock()
    await limited({ max: 1, timeWindow: 1000, store: memoryStore({ clock }) }, async (get) => {
      expect(await statuses(get, 2)).toEqual([200, 429])
      await clock.advance(999)
      expect((await get()).status).toBe(429)
      await clock.advance(1)
      expect((await get()).status).toBe(200)
    })
  })

  it('admit no more than max of many at once', async () => {
    await limited({ max: 5 }, async (get) => {
      const answers = await Promise.all(Array.from({ length: 30 }, () => get()))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    })
  })

  it('share a count, which other addresses do not', async () => {
    const build = async (app: FastifyInstance) => {
      await app.register(rateLimit, { max: 2 })
      app.get('/a', async () => 'a')
      app.get('/b', async () => 'b')
    }
    await served(build, async (get) => {
      expect([(await get('/a')).status, (await get('/b')).status, (await get('/a')).status]).toEqual([
        200, 200, 429,
      ])
      expect((await get('/a', from('192.0.2.7'))).status).toBe(200)
    })
  })

  it('are not limited with global: false', async () => {
    await limited({ global: false, max: 1 }, async (get) => {
      expect(await statuses(get, 2)).toEqual([200, 200])
    })
  })

  it('follow the fake timers of a test', async () => {
    fakeDate()
    try {
      await limited({ max: 1, timeWindow: 60_000 }, async (get) => {
        expect(await statuses(get, 2)).toEqual([200, 429])
        jest.setSystemTime(Date.now() + 60_000)
        expect((await get()).status).toBe(200)
      })
    } finally {
      jest.useRealTimers()
    }
  })
})

describe('a route', () => {
  it('has a limit and a count of its own', async () => {
    const build = async (app: FastifyInstance) => {
      await app.register(rateLimit, { max: 1 })
      app.get('/', async () => 'hello')
      app.get('/own', { config: { rateLimit: { max: 2 } } }, async () => 'own')
    }
    await served(build, async (get) => {
      expect(await statuses(get, 2)).toEqual([200, 429])
      expect(await statuses(get, 3, '/own')).toEqual([200, 200, 429])
    })
  })

  it('can be left out', async () => {
    await routed(false, async (get) => {
      const { status, headers } = await get()
      expect([status, headers.get('x-ratelimit-limit')]).toEqual([200, null])
    })
  })

  it('takes from the plugin what it does not say', async () => {
    await routed({ max: 1 }, async (get) => expect(field('x-ratelimit-reset')(await get())).toBe('7'), {
      timeWindow: 7000,
    })
  })

  it('of a group shares its count', async () => {
    const config = { rateLimit: { max: 3, groupId: 'OTP' } }
    const build = async (app: FastifyInstance) => {
      await app.register(rateLimit, { global: false })
      app.get('/send', { config }, async () => 'sent')
      app.get('/resend', { config }, async () => 'sent again')
      app.get('/other', { config: { rateLimit: { max: 3, groupId: 'other' } } }, async () => 'other')
    }
    await served(build, async (get) => {
      expect(await statuses(get, 2, '/send')).toEqual([200, 200])
      expect(await statuses(get, 2, '/resend')).toEqual([200, 429])
      expect(field('x-ratelimit-remaining')(await get('/other'))).toBe('2')
    })
  })

  it('runs in the hook that is asked for, behind hooks of its own', async () => {
    const order: string[] = []
    const build = async (app: FastifyInstance) => {
      const keyGenerator = () => {
        order.push('limit')
        return 'everybody'
      }
      await app.register(rateLimit, { keyGenerator })
      const config = { rateLimit: { hook: 'preHandler' as const } }
      const preHandler = async () => void order.push('own')
      app.addHook('preValidation', async () => void order.push('before'))
      app.get('/', { config, preHandler }, async () => 'hello')
    }
    await served(build, (get) => get())
    expect(order).toEqual(['before', 'own', 'limit'])
  })

  it.each([
    [{ maximum: 5 }, 'config.rateLimit.maximum'],
    [() => {}, 'config.rateLimit'],
    [{ groupId: 5 }, 'groupId'],
    [{ hook: 'onSend' }, 'hook'],
    [{ timeWindow: 'an hour' }, 'timeWindow'],
    [{ timeWindow: '2 years' }, 'timeWindow'],
    [{ onExceeded: 'log' }, 'onExceeded'],
    [{ addHeaders: false }, 'addHeaders'],
    [{ skipOnError: 'yes' }, 'skipOnError'],
  ])('with %p is an OptionError', async (own, path) => {
    const build = async (app: FastifyInstance) => {
      await app.register(rateLimit)
      app.get('/', { config: { rateLimit: own as RateLimitOptions } }, async () => 'hello') // wrong on purpose
    }
    await expect(served(build, async () => {})).rejects.toMatchObject({ code: 'SLUICE_OPTION', path })
  })
})

describe('keys', () => {
  it('are networks: of IPv6 the first 64 bits, or as many as are asked for', async () => {
    await limited({ max: 1 }, async (get) => {
      expect((await get('/', from('2001:db8:1:2::1'))).status).toBe(200)
      expect((await get('/', from('2001:db8:1:2:ffff::9'))).status).toBe(429)
      expect((await get('/', from('2001:db8:1:3::1'))).status).toBe(200)
    })
    await limited({ max: 1, ipv6Subnet: 48 }, async (get) => {
      expect((await get('/', from('2001:db8:1:2::1'))).status).toBe(200)
      expect((await get('/', from('2001:db8:1:3::1'))).status).toBe(429)
    })
  })

  it('may be anything that a function answers, now or later', async () => {
    const keyGenerator: RateLimitOptions['keyGenerator'] = async ({ headers }) => String(headers.user)
    await limited({ max: 1, keyGenerator }, async (get) => {
      expect((await get('/', { user: 'ann' })).status).toBe(200)
      expect((await get('/', { user: 'bob' })).status).toBe(200)
      expect((await get('/', { user: 'ann' })).status).toBe(429)
    })
  })

  it.each([[undefined], [null], [''], [{}], [true]])(
    'that are %p count under the network',
    async (answer) => {
      const warn = jest.spyOn(console, 'warn').mockImplementation(() => {})
      await limited({ max: 1, keyGenerator: () => answer as string }, async (get) => {
        expect((await get('/', from('192.0.2.1'))).status).toBe(200)
        expect((await get('/', from('192.0.2.2'))).status).toBe(200)
        expect((await get('/', from('192.0.2.1'))).status).toBe(429)
      })
      warn.mockRestore()
    },
  )

  it('that are objects without a text count under the network, in a group as well', async () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => {})
    const keyGenerator = () => Object.create(null)
    await limited({ max: 1, groupId: 'all', keyGenerator }, async (get) => {
      expect(await statuses(get, 2)).toEqual([200, 429])
      expect((await get('/', from('192.0.2.1'))).status).toBe(200)
    })
    warn.mockRestore()
  })

  it('on the allow list are not counted: addresses in any spelling, also of IPv6', async () => {
    await limited({ max: 1, allowList: ['192.0.2.1', '2001:DB8::5'] }, async (get) => {
      for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '2001:db8::5']) {
        await get('/', from(address))
        const { status, headers } = await get('/', from(address))
        expect([address, status, headers.get('x-ratelimit-limit')]).toEqual([address, 200, null])
      }
      await get('/', from('2001:db8::6'))
      expect((await get('/', from('2001:db8::6'))).status).toBe(429)
    })
  })

  it('are asked for by an allow list that is a function', async () => {
    const asked: unknown[] = []
    const allowList: RateLimitOptions['allowList'] = async (_request, key) => {
      asked.push(key)
      return true
    }
    await limited({ max: 1, allowList, keyGenerator: () => 42 }, async (get) => {
      expect(await statuses(get, 2)).toEqual([200, 200])
    })
    expect(asked).toEqual([42, 42])
  })
})

describe('max and timeWindow', () => {
  it('may depend on request and key, now or later', async () => {
    const options: RateLimitPluginOptions = {
      keyGenerator: ({ headers }) => String(headers.plan),
      max: async (_request, key) => (key === 'pro' ? 2 : 1),
      timeWindow: (_request, key) => (key === 'pro' ? 20_000 : 10_000),
    }
    await limited(options, async (get) => {
      const pro = await get('/', { plan: 'pro' })
      expect([field('x-ratelimit-limit')(pro), field('x-ratelimit-reset')(pro)]).toEqual(['2', '20'])
      const free = await get('/', { plan: 'free' })
      expect([field('x-ratelimit-limit')(free), field('x-ratelimit-reset')(free)]).toEqual(['1', '10'])
      expect((await get('/', { plan: 'free' })).status).toBe(429)
      expect((await get('/', { plan: 'pro' })).status).toBe(200)
    })
  })

  it('are their defaults where they are no numbers, with a warning', async () => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
    await limited({ max: () => Number.NaN, timeWindow: -5 }, async (get) => {
      const answer = await get()
      expect([field('x-ratelimit-limit')(answer), field('x-ratelimit-reset')(answer)]).toEqual(['1000', '60'])
      await get()
    })
    const code = 'SLUICE_DEFAULT_TAKEN'
    expect(warned.mock.calls).toEqual([
      [expect.stringContaining('timeWindow'), { code }],
      [expect.stringContaining('max'), { code }],
    ])
    warned.mockRestore()
  })

  it('of 0 refuse everything', async () => {
    await limited({ max: 0 }, async (get) => expect((await get()).status).toBe(429))
  })

  // prettier-ignore
  it.each([
    ['1s', '1'],
    ['2 minutes', '120'],
    ['1.5h', '5400'],
    ['1 day', '86400'],
    ['1w', '604800'],
    ['30000', '30'],
  ])('are read from words: %s', async (timeWindow, seconds) => {
    await limited({ timeWindow }, async (get) =>
      expect(field('x-ratelimit-reset')(await get())).toBe(seconds),
    )
  })
})

describe('what is too many', () => {
  it('begins the window anew with continueExceeding', async () => {
    const clock = manualClock()
    const options = { max: 1, timeWindow: 5000, continueExceeding: true, store: memoryStore({ clock }) }
    await limited(options, async (get) => {
      await get()
      await clock.advance(3000)
      expect(field('retry-after')(await get())).toBe('5')
      await clock.advance(4999)
      expect(field('retry-after')(await get())).toBe('5')
      await clock.advance(5000)
      expect((await get()).status).toBe(200)
    })
  })

  it('begins windows twice as long with exponentialBackoff, which last as long as it says', async () => {
    const clock = manualClock()
    const options = { max: 1, timeWindow: 1000, exponentialBackoff: true, store: memoryStore({ clock }) }
    await limited(options, async (get) => {
      await get()
      const waits = [await get(), await get(), await get(), await get()].map(field('retry-after'))
      expect(waits).toEqual(['1', '2', '4', '8'])
      await clock.advance(7999)
      const refused = await get()
      expect(field('retry-after')(refused)).toBe('16')
      await clock.advance(16_000)
      expect((await get()).status).toBe(200)
    })
  })

  it('waits for a year at most with exponentialBackoff', async () => {
    await limited({ max: 0, timeWindow: '300 days', exponentialBackoff: true }, async (get) => {
      await get()
      await get()
      expect(field('retry-after')(await get())).toBe(String(366 * 86_400))
    })
  })

  it('is banned after as many refusals as are let pass', async () => {
    const calls: string[] = []
    const options: RateLimitPluginOptions = {
      max: 1,
      ban: 1,
      onExceeding: (_request, key) => void calls.push(`exceeding ${key}`),
      onExceeded: (_request, key) => void calls.push(`exceeded ${key}`),
      onBanReach: (_request, key) => void calls.push(`banned ${key}`),
    }
    await limited(options, async (get) => {
      expect(await statuses(get, 4)).toEqual([200, 429, 403, 403])
    })
    const exceeded = 'exceeded 127.0.0.1'
    const banned = 'banned 127.0.0.1'
    expect(calls).toEqual(['exceeding 127.0.0.1', exceeded, exceeded, banned, exceeded, banned])
  })

  it('is answered as errorResponseBuilder says', async () => {
    const errorResponseBuilder: RateLimitOptions['errorResponseBuilder'] = (_request, context) => ({
      ...context,
      own: true,
    })
    await limited({ max: 1, ban: 1, timeWindow: '1h', errorResponseBuilder }, async (get) => {
      await get()
      const { status, body } = await get()
      const refusal = {
        statusCode: 429,
        ban: false,
        max: 1,
        ttl: expect.any(Number),
        after: '1 hour',
        own: true,
      }
      expect([status, JSON.parse(body)]).toEqual([429, refusal])
      expect(JSON.parse((await get()).body)).toEqual({ ...refusal, statusCode: 403, ban: true })
    })
  })

  it('reaches an error handler', async () => {
    const build = async (app: FastifyInstance) => {
      await app.register(rateLimit, { max: 1 })
      app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) =>
        reply.code(418).send(`${error.statusCode} ${error.message}`),
      )
      app.get('/', async () => 'hello')
    }
    await served(build, async (get) => {
      await get()
      const { status, body } = await get()
      expect([status, body]).toEqual([418, '429 Rate limit exceeded, retry in 1 minute'])
    })
  })
})

describe('fields', () => {
  it('can be left out one by one', async () => {
    const options: RateLimitPluginOptions = {
      max: 1,
      addHeadersOnExceeding: { 'x-ratelimit-reset': false },
      addHeaders: { 'x-ratelimit-remaining': false, 'retry-after': false },
    }
    const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after']
    await limited(options, async (get) => {
      const first = await get()
      expect(names.filter((name) => first.headers.has(name))).toEqual(names.slice(0, 2))
      const second = await get()
      expect(names.filter((name) => second.headers.has(name))).toEqual([names[0], names[2]])
    })
  })

  it('have no x- with enableDraftSpec', async () => {
    await limited({ max: 1, enableDraftSpec: true }, async (get) => {
      await get()
      const { headers } = await get()
      const names = [...headers.keys()].filter((name) => /ratelimit|retry/.test(name))
      expect(names).toEqual(['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'])
    })
  })

  it('have no x- where a route has enableDraftSpec', async () => {
    const build = async (app: FastifyInstance) => {
      await app.register(rateLimit, { max: 5 })
      app.get('/', { config: { rateLimit: { enableDraftSpec: true } } }, async () => 'hello')
    }
    await served(build, async (get) => {
      const names = [...(await get()).headers.keys()].filter((name) => name.includes('ratelimit'))
      expect(names).toEqual(['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'])
    })
  })
})

describe('app.rateLimit()', () => {
  it('is a hook for what is not found', async () => {
    const build = async (app: FastifyInstance) => {
      await app.register(rateLimit, { max: 5 })
      app.setNotFoundHandler({ preHandler: app.rateLimit({ max: 1 }) }, (_request, reply) =>
        reply.code(404).send('lost'),
      )
    }
    await served(build, async (get) => expect(await statuses(get, 2, '/lost')).toEqual([404, 429]))
  })

  it('counts each on its own, and no request twice', async () => {
    const build = async (app: FastifyInstance) => {
      await app.register(rateLimit, { global: false, max: 5 })
      app.get(
        '/a',
        { onRequest: app.rateLimit({ max: 1 }), preHandler: app.rateLimit({ max: 1 }) },
        async () => 'a',
      )
      app.get('/b', { onRequest: app.rateLimit({ max: 1 }) }, async () => 'b')
    }
    await served(build, async (get) => {
      expect((await get('/b')).status).toBe(200)
      expect(await statuses(get, 2, '/a')).toEqual([200, 429])
    })
  })
})

describe('app.createRateLimit()', () => {
  it('answers what has been counted, and can only look', async () => {
    const clock = manualClock()
    const build = async (app: FastifyInstance) => {
      await app.register(rateLimit, { global: false, store: memoryStore({ clock }) })
      const ask = app.createRateLimit({ max: 1, timeWindow: '1 minute', ban: 1 })
      app.get('/', (request) => ask(request))
      app.get('/look', (request) => ask(request, { increment: false }))
    }
    const fresh = {
      isAllowed: false,
      key: '127.0.0.1',
      max: 1,
      timeWindow: 60_000,
      remaining: 1,
      ttl: 0,
      ttlInSeconds: 0,
    }
    const used = { ...fresh, remaining: 0, ttl: 60_000, ttlInSeconds: 60 }
    await served(build, async (get) => {
      const asked = async (path: string) => JSON.parse((await get(path)).body)
      expect(await asked('/look')).toEqual({ ...fresh, isExceeded: false, isBanned: false })
      expect(await asked('/')).toEqual({ ...used, isExceeded: false, isBanned: false })
      expect(await asked('/')).toEqual({ ...used, isExceeded: true, isBanned: false })
      expect(await asked('/')).toEqual({ ...used, isExceeded: true, isBanned: true })
      expect(await asked('/look')).toEqual({ ...used, isExceeded: true, isBanned: true })
      await clock.advance('1m')
      expect(await asked('/look')).toEqual({ ...fresh, isExceeded: false, isBanned: false })
    })
  })

  it('says that a key is allowed', async () => {
    const build = async (app: FastifyInstance) => {
      await app.register(rateLimit, { global: false })
      const ask = app.createRateLimit({ allowList: ['127.0.0.1'] })
      app.get('/', (request) => ask(request))
    }
    await served(build, async (get) => {
      expect(JSON.parse((await get()).body)).toEqual({ isAllowed: true, key: '127.0.0.1' })
    })
  })
})

describe('a store for @fastify/rate-limit', () => {
  type Callback = (error: Error | null, count?: { current: number; ttl: number }) => void
  const seen: unknown[] = []
  class CountingStore {
    readonly #options: { max?: number }
    #current = 0
    constructor(options: object) {
      this.#options = options
    }
    incr(key: string, callback: Callback, timeWindow: number, max: number) {
      seen.push([key, timeWindow, max, this.#options.max])
      callback(null, { current: ++this.#current, ttl: 1500 })
    }
    child(options: object) {
      return new CountingStore(options)
    }
  }

  it('counts, with a child for each route', async () => {
    const build = async (app: FastifyInstance) => {
      await app.register(rateLimit, { max: 1, timeWindow: '1s', store: CountingStore })
      app.get('/', async () => 'hello')
      app.get('/own', { config: { rateLimit: { max: 2 } } }, async () => 'own')
    }
    await served(build, async (get) => {
      expect(field('x-ratelimit-reset')(await get())).toBe('2')
      expect(await statuses(get, 1)).toEqual([429])
      expect(await statuses(get, 3, '/own')).toEqual([200, 200, 429])
    })
    expect(seen[0]).toEqual(['127.0.0.1', 1000, 1, 1])
    expect(seen[2]).toEqual(['127.0.0.1', 1000, 2, 2])
  })

  const failing = (fail: (callback: Callback) => void) =>
    class {
      incr(_key: string, callback: Callback) {
        fail(callback)
      }
      child() {
        return this
      }
    }
  const failures = [
    ['calls back with an error', (callback: Callback) => callback(new Error('full'))],
    [
      'throws',
      () => {
        throw new Error('full')
      },
    ],
    ['answers nothing', (callback: Callback) => callback(null)],
  ] as const

  it.each(failures)('that %s is an error, or lets through with skipOnError', async (_title, fail) => {
    await limited({ store: failing(fail) }, async (get) => expect((await get()).status).toBe(500))
    await limited({ max: 3, store: failing(fail), skipOnError: true }, async (get) => {
      const answer = await get()
      expect([answer.status, field('x-ratelimit-remaining')(answer)]).toEqual([200, '3'])
    })
  })

  it('cannot only look without a method for that', async () => {
    const build = async (app: FastifyInstance) => {
      await app.register(rateLimit, { global: false, store: CountingStore })
      const ask = app.createRateLimit()
      app.get('/', (request) => ask(request, { increment: false }))
    }
    await served(build, async (get) => {
      expect(JSON.parse((await get()).body)).toMatchObject({ statusCode: 500, code: 'SLUICE_UNSUPPORTED' })
    })
  })
})

const fail = () => {
  throw new Error('mine')
}
it.each(['keyGenerator', 'max', 'timeWindow', 'allowList', 'onExceeding'] as const)(
  'a %s that throws lets nobody through',
  async (name) => {
    await limited({ [name]: fail }, async (get) => expect((await get()).status).toBe(500))
  },
)

it('an errorResponseBuilder that throws nothing lets nobody through', async () => {
  const errorResponseBuilder = () => {
    throw undefined
  }
  await limited({ max: 0, errorResponseBuilder }, async (get) => expect((await get()).status).toBe(500))
})

it.each([
  [{ maximum: 5 }, 'maximum'],
  [{ nameSpace: '' }, 'nameSpace'],
  [{ global: 'yes' }, 'global'],
  [{ cache: 0 }, 'cache'],
  [{ keyGenerator: 'ip' }, 'keyGenerator'],
  [{ allowList: '127.0.0.1' }, 'allowList'],
  [{ redis: 'localhost' }, 'redis'],
  [{ store: {} }, 'store'],
  [{ store: class {}, skipOnError: true }, 'store'],
  [{ store: null }, 'store'],
])('%p is an OptionError', async (options, path) => {
  const given = options as RateLimitPluginOptions // wrong on purpose
  await expect(limited(given, async () => {})).rejects.toMatchObject({ code: 'SLUICE_OPTION', path })
})

describe("users' functions that answer later", () => {
  it.each([
    ['onExceeding', 200],
    ['onExceeded', 429],
    ['onBanReach', 403],
  ] as const)('an %s that rejects changes no answer, and does not end the process', async (name, status) => {
    const rejected = Promise.reject(new Error('mine'))
    const awaited = jest.spyOn(rejected, 'then')
    const options = { max: status === 200 ? 1 : 0, ban: status === 403 ? 0 : -1 }
    await limited({ ...options, [name]: () => rejected }, async (get) => {
      expect((await get()).status).toBe(status)
      expect(awaited).toHaveBeenCalledWith(expect.any(Function), expect.any(Function))
    })
  })

  it('an errorResponseBuilder may answer a promise', async () => {
    const errorResponseBuilder = async () => ({ statusCode: 418, error: 'teapot' })
    await limited({ max: 0, errorResponseBuilder }, async (get) => {
      const { status, body } = await get()
      expect([status, JSON.parse(body)]).toEqual([418, { statusCode: 418, error: 'teapot' }])
    })
  })

  it('one whose promise rejects is an error, and lets nobody through', async () => {
    const errorResponseBuilder = () => Promise.reject(new Error('mine'))
    await limited({ max: 0, errorResponseBuilder }, async (get) => {
      expect((await get()).status).toBe(500)
    })
  })
})
