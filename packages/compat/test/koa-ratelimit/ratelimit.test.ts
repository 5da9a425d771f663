import { describe, expect, it, jest } from '@jest/globals'
import { isOptionError, memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import Koa from 'koa'
import { type MiddlewareOptions, ratelimit } from '../../src/koa-ratelimit/index.ts'
import { fakeDate } from '../fake-date.ts'
import { served } from './serve.ts'

/** An application behind one proxy that names its client, as tests have only one address. */
function appWith(...middlewares: readonly Koa.Middleware[]): Koa {
  const app = new Koa({ proxy: true, maxIpsCount: 1 })
  for (const middleware of middlewares) app.use(middleware)
  app.use((ctx) => {
    ctx.body = 'hello'
  })
  return app
}

function inMemory(options: MiddlewareOptions = {}): Koa {
  return appWith(ratelimit({ driver: 'memory', max: 2, ...options }))
}

const from = (address: string) => ({ 'X-Forwarded-For': address })

describe('counting', () => {
  it('says on each answer what is left, and refuses what is too many', async () => {
    const clock = manualClock()
    const db = memoryStore({ clock })
    await served(inMemory({ db, duration: 100_000 }), async (get) => {
      const answers = [await get(), await get(), await get()]
      expect(answers.map(({ status, headers }) => [status, headers.get('X-RateLimit-Remaining')])).toEqual([
        [200, '1'],
        [200, '0'],
        [429, '0'],
      ])
      expect(answers.map(({ headers }) => headers.get('X-RateLimit-Limit'))).toEqual(['2', '2', '2'])
      expect(answers.map(({ headers }) => headers.get('Retry-After'))).toEqual([null, null, '100'])
      expect(answers[2]?.headers.get('Cache-Control')).toBe('no-store')
      expect(answers[2]?.body).toBe('Rate limit exceeded, retry in 2 minutes.')
    })
  })

  it.each(['memory', 'redis'] as const)('refuses all where max is 0, by %s', async (driver) => {
    const db = memoryStore({ clock: manualClock() })
    await served(inMemory({ driver, db, max: 0, duration: 60_000 }), async (get) => {
      const beforeMs = Date.now()
      const { status, headers, body } = await get()
      expect([status, headers.get('Retry-After'), body]).toEqual([
        429,
        '60',
        'Rate limit exceeded, retry in 60 seconds.',
      ])
      const left = ['Limit', 'Remaining'].map((name) => headers.get(`X-RateLimit-${name}`))
      expect(left).toEqual(['0', '0'])
      const resetMs = Number(headers.get('X-RateLimit-Reset')) * 1000
      expect(resetMs).toBeGreaterThanOrEqual(beforeMs + 60_000)
      expect(resetMs).toBeLessThan(Date.now() + 61_000)
    })
  })

  it('is over at the stated instant, and not earlier', async () => {
    const clock = manualClock()
    await served(inMemory({ db: memoryStore({ clock }), duration: 1000 }), async (get) => {
      await get()
      await clock.advance(400)
      await get()
      await clock.advance(599)
      expect((await get()).status).toBe(429)
      await clock.advance(1)
      expect((await get()).status).toBe(200)
    })
  })

  it('states the reset as an instant, in whole seconds', async () => {
    await served(inMemory({ duration: 60_000 }), async (get) => {
      const before = Date.now()
      const reset = Number((await get()).headers.get('X-RateLimit-Reset'))
      expect(reset).toBeGreaterThanOrEqual(Math.floor((before + 60_000) / 1000))
      expect(reset).toBeLessThanOrEqual(Math.ceil((Date.now() + 60_000) / 1000))
    })
  })

  it('admits no more than max of many at once', async () => {
    await served(inMemory({ max: 5 }), async (get) => {
      const answers = await Promise.all(Array.from({ length: 30 }, () => get()))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    })
  })

  it('counts an IPv6 network as one client, and IPv4 in either spelling', async () => {
    await served(inMemory({ max: 1 }), async (get) => {
      expect((await get(from('2001:db8:1:2::1'))).status).toBe(200)
      expect((await get(from('2001:db8:1:2:ffff::9'))).status).toBe(429)
      expect((await get(from('2001:db8:1:3::1'))).status).toBe(200)
      expect((await get(from('192.0.2.1'))).status).toBe(200)
      expect((await get(from('::ffff:192.0.2.1'))).status).toBe(429)
    })
  })

  it('follows the fake timers of a test', async () => {
    fakeDate()
    try {
      await served(inMemory({ max: 1, duration: 60_000 }), async (get) => {
        expect((await get()).status).toBe(200)
        expect((await get()).status).toBe(429)
        jest.setSystemTime(Date.now() + 60_000)
        expect((await get()).status).toBe(200)
      })
    } finally {
      jest.useRealTimers()
    }
  })
})

it('calls onLimited for what is refused, which finds the answer, and what was counted in the state', async () => {
  const seen: unknown[] = []
  const onLimited: MiddlewareOptions['onLimited'] = (ctx) => {
    seen.push([ctx.status, ctx.body, ctx.state.rateLimit])
    ctx.body = 'mine'
  }
  const options = { max: 1, duration: 60_000, id: () => 'ann', errorMessage: 'later', onLimited }
  await served(inMemory(options), async (get) => {
    await get()
    expect(seen).toEqual([])
    expect((await get()).body).toBe('mine')
  })
  const headers = {
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': expect.any(String),
    'X-RateLimit-Limit': '1',
  }
  expect(seen).toEqual([[429, 'later', { after: 60, id: 'ann', message: 'later', headers }]])
})

it('throws the answer as onLimited has left it', async () => {
  const onLimited: MiddlewareOptions['onLimited'] = (ctx) => {
    ctx.status = 403
    ctx.body = 'mine'
  }
  await served(inMemory({ max: 1, throw: true, onLimited }), async (get) => {
    await get()
    const { status, body, headers } = await get()
    expect([status, body, headers.has('retry-after')]).toEqual([403, 'mine', true])
  })
})

describe('db', () => {
  it('is shared by middlewares of one namespace, whatever their limits', async () => {
    const db = new Map()
    const options: MiddlewareOptions = { driver: 'memory', db }
    await served(appWith(ratelimit({ ...options, max: 3 })), (get) => get())
    await served(appWith(ratelimit({ ...options, max: 5 })), async (get) => {
      expect((await get()).headers.get('X-RateLimit-Remaining')).toBe('3')
    })
    await served(appWith(ratelimit({ ...options, max: 5, namespace: 'other' })), async (get) => {
      expect((await get()).headers.get('X-RateLimit-Remaining')).toBe('4')
    })
  })

  it('forgets all counts when the Map is cleared', async () => {
    const db = new Map()
    await served(inMemory({ db, max: 1 }), async (get) => {
      await get()
      expect((await get()).status).toBe(429)
      db.clear()
      expect((await get()).status).toBe(200)
      expect((await get()).status).toBe(429)
    })
  })

  it('may be left out in memory: then a middleware counts for itself', async () => {
    await served(appWith(ratelimit({ driver: 'memory', max: 1 })), (get) => get())
    await served(appWith(ratelimit({ driver: 'memory', max: 1 })), async (get) => {
      expect((await get()).status).toBe(200)
      expect((await get()).status).toBe(429)
    })
  })
})

describe('id', () => {
  it('says what is counted', async () => {
    await served(inMemory({ max: 1, id: (ctx) => ctx.get('X-User') }), async (get) => {
      expect((await get({ 'X-User': 'ann' })).status).toBe(200)
      expect((await get({ 'X-User': 'bob' })).status).toBe(200)
      expect((await get({ 'X-User': 'ann' })).status).toBe(429)
    })
  })

  it('may answer later', async () => {
    await served(inMemory({ max: 1, id: async (ctx) => ctx.get('X-User') }), async (get) => {
      expect((await get({ 'X-User': 'ann' })).status).toBe(200)
      expect((await get({ 'X-User': 'bob' })).status).toBe(200)
    })
  })

  it('counts nothing where it answers false', async () => {
    await served(inMemory({ max: 1, id: () => false }), async (get) => {
      await get()
      const { status, headers } = await get()
      expect([status, headers.get('X-RateLimit-Limit')]).toEqual([200, null])
    })
  })

  it.each([[undefined], [null], [''], [{}], [true], [[{}]]])(
    'counts under the network where it answers %p',
    async (answer) => {
      const warn = jest.spyOn(console, 'warn').mockImplementation(() => {})
      await served(inMemory({ max: 1, id: () => answer }), async (get) => {
        expect((await get(from('192.0.2.1'))).status).toBe(200)
        expect((await get(from('192.0.2.2'))).status).toBe(200)
        expect((await get(from('192.0.2.1'))).status).toBe(429)
      })
      warn.mockRestore()
    },
  )
})

describe('exceptions', () => {
  it('are let through without a count', async () => {
    const whitelist: MiddlewareOptions['whitelist'] = async (ctx) => ctx.get('X-User') === 'staff'
    await served(inMemory({ max: 1, whitelist }), async (get) => {
      await get()
      const { status, headers } = await get({ 'X-User': 'staff' })
      expect([status, headers.get('X-RateLimit-Limit')]).toEqual([200, null])
      expect((await get()).status).toBe(429)
    })
  })

  it('are refused with 403, even if both lists name them', async () => {
    const isEve: MiddlewareOptions['blacklist'] = (ctx) => ctx.get('X-User') === 'eve'
    await served(inMemory({ whitelist: isEve, blacklist: isEve }), async (get) => {
      const { status, body } = await get({ 'X-User': 'eve' })
      expect([status, body]).toEqual([403, 'Forbidden'])
      expect((await get()).headers.get('X-RateLimit-Remaining')).toBe('1')
    })
  })
})

describe('refusals', () => {
  it('have the status, body and fields that were asked for', async () => {
    const options: MiddlewareOptions = {
      max: 1,
      status: 420,
      errorMessage: { slow: 'down' },
      headers: { remaining: 'Left', total: 'Total' },
    }
    await served(inMemory(options), async (get) => {
      await get()
      const { status, body, headers } = await get()
      expect([status, body]).toEqual([420, '{"slow":"down"}'])
      expect([headers.get('Left'), headers.get('Total')]).toEqual(['0', '1'])
      expect(headers.has('X-RateLimit-Reset')).toBe(true)
      expect(headers.has('X-RateLimit-Limit')).toBe(false)
    })
  })

  it('have only Retry-After without the fields', async () => {
    await served(inMemory({ max: 1, duration: 30_000, disableHeader: true }), async (get) => {
      await get()
      const { headers } = await get()
      expect([...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
      expect(headers.get('Retry-After')).toBe('30')
    })
  })

  it('can be thrown, with all fields', async () => {
    const thrown: unknown[] = []
    const app = appWith(
      async (_ctx, next) => {
        await next().catch((error: unknown) => {
          thrown.push(error)
          throw error
        })
      },
      ratelimit({ driver: 'memory', max: 1, duration: 30_000, errorMessage: 'Slow down.', throw: true }),
    )
    await served(app, async (get) => {
      await get()
      const { status, body, headers } = await get()
      expect([status, body, headers.get('Retry-After')]).toEqual([429, 'Slow down.', '30'])
      expect(headers.get('X-RateLimit-Remaining')).toBe('0')
    })
    expect(thrown).toEqual([expect.objectContaining({ status: 429, message: 'Slow down.' })])
  })

  it('can be thrown with what an object says', async () => {
    const caught: unknown[] = []
    const app = appWith(
      async (_ctx, next) => void (await next().catch((error: unknown) => caught.push(error))),
      ratelimit({ driver: 'memory', max: 1, errorMessage: { slow: 'down' }, throw: true }),
    )
    await served(app, async (get) => {
      await get()
      await get()
    })
    expect(caught).toEqual([expect.objectContaining({ status: 429, slow: 'down' })])
  })

  it('run nothing that comes behind', async () => {
    let runs = 0
    const app = appWith(ratelimit({ driver: 'memory', max: 1 }), async (_ctx, next) => {
      runs++
      await next()
    })
    await served(app, async (get) => {
      await get()
      await get()
    })
    expect(runs).toBe(1)
  })
})

it.each(['id', 'whitelist', 'blacklist'] as const)('a %s that throws lets nobody through', async (name) => {
  const fail = () => {
    throw new Error('mine')
  }
  await served(inMemory({ [name]: fail }), async (get) => {
    expect((await get()).status).toBe(500)
  })
})

it.each(['id', 'whitelist', 'blacklist', 'onLimited'] as const)(
  'a %s that throws nothing at all, or a frozen error, is an error too, where Koa would never answer',
  async (name) => {
    for (const thrown of [undefined, Object.freeze(new Error('mine'))]) {
      const fail = () => {
        throw thrown
      }
      await served(inMemory({ max: 1, [name]: fail }), async (get) => {
        await get()
        expect((await get()).status).toBe(500)
      })
    }
  },
)

it('an onLimited that rejects changes no answer, and does not end the process', async () => {
  const rejected = Promise.reject(new Error('mine'))
  const awaited = jest.spyOn(rejected, 'then')
  await served(inMemory({ max: 1, onLimited: () => rejected as never }), async (get) => {
    await get()
    expect((await get()).status).toBe(429)
    expect(awaited).toHaveBeenCalledWith(expect.any(Function), expect.any(Function))
  })
})

it('an onLimited may answer a thenable of its own, which calls back at once', async () => {
  const query = {
    // biome-ignore lint/suspicious/noThenProperty: as query builders are
    then: (done: (answer: unknown) => void) => done('asked'),
  }
  await served(inMemory({ max: 1, onLimited: () => query as never }), async (get) => {
    await get()
    expect((await get()).status).toBe(429)
  })
})

it.each([
  [{}, 'db'],
  [{ db: new Map() }, 'db'],
  [{ driver: 'memory', db: { get() {} } }, 'db'],
  [{ driver: 'file' }, 'driver'],
  [{ driver: 'memory', max: -1 }, 'max'],
  [{ db: memoryStore(), max: 100_001 }, 'max'],
  [{ driver: 'memory', duration: 0.5 }, 'duration'],
  [{ driver: 'memory', id: 'ip' }, 'id'],
  [{ driver: 'memory', namespace: '' }, 'namespace'],
  [{ driver: 'memory', headers: { left: 'Left' } }, 'headers.left'],
  [{ driver: 'memory', status: 200 }, 'status'],
  [{ driver: 'memory', throw: 'yes' }, 'throw'],
  [{ driver: 'memory', whitelist: [] }, 'whitelist'],
  [{ driver: 'memory', maximum: 5 }, 'maximum'],
])('%p is an OptionError', (options, path) => {
  let error: unknown
  try {
    ratelimit(options as MiddlewareOptions) // wrong on purpose
  } catch (thrown) {
    error = thrown
  }
  expect(isOptionError(error) && error.path).toBe(path)
})
